/** Records of jobs in which nothing that a user has chosen is taken for what Slurm says. */
export interface ShownJob {
  readonly id: number;
  /** Chosen by its user: it may contain line breaks, and what looks like other fields. */
  readonly name: string;
  /** `Key=value`, separated by blanks: what Slurm itself says. */
  readonly text: string;
}

/** What squeue says of a job. */
export interface ListedJob {
  /** `ann(1001)`. */
  readonly user: string;
  readonly state: string;
  readonly submitted: string;
  readonly partition: string;
  readonly account: string;
  readonly name: string;
}

const FIELDS = { user: '%u(%U)', state: '%T', submitted: '%V', partition: '%P', account: '%a', name: '%j' } as const;

/** The format in which squeue lists jobs. Who cannot know the mark cannot write it into a name. */
export const listFormat = (mark: string): string => ['', '%A', ...Object.values(FIELDS)].join(mark);

/** Jobs by their ids, in what squeue prints in this format. */
export function parseListed(text: string, mark: string): ReadonlyMap<number, ListedJob> {
  const parts = text.split(mark).slice(1);
  const [count, listed] = [1 + Object.keys(FIELDS).length, new Map<number, ListedJob>()];
  for (let at = 0; at + count <= parts.length; at += count) {
    const [id, user = '', state = '', submitted = '', partition = '', account = '', name = ''] = parts.slice(at);
    listed.set(Number(id), { user, state, submitted, partition, account, name: name.replace(/\n$/, '') });
  }
  return listed;
}

/** Behind these stand texts of users: commands, paths, comments. */
const TEXTS = / (?:OverSubscribe|Exclusive|Shared|Licenses|Network|Command|SubmitLine|WorkDir|Comment)=/;

/**
 * The records in what `scontrol -o show job` prints, of jobs that squeue lists.
 *
 * A name, a comment or a path with a line break can look like the record of another job. So a record counts only with the name and the user
 * that squeue has for its id. Where that is so twice, or texts of the user stand where fields of Slurm do, the job has what squeue says of it:
 * `onProblem` is called. A job that scontrol does not show is new, and has that as well.
 */
export function shownJobs(
  text: string,
  listed: ReadonlyMap<number, ListedJob>,
  onProblem: (problem: string) => void,
): ShownJob[] {
  const found = new Map<number, (string | undefined)[]>();
  // Newer releases may show other ids of the job before its name.
  for (const { 0: head, 1: number, index } of text.matchAll(/^JobId=(\d+) (?:(?!JobName=)[A-Z]\w*=\S+ )*JobName=/gm)) {
    const id = Number(number);
    const job = listed.get(id);
    if (job === undefined) continue;
    const begin = index + head.length;
    if (!text.startsWith(`${job.name} UserId=${job.user} `, begin)) continue;
    const [line = ''] = text.slice(begin + job.name.length).split('\n', 1);
    const own = ownPart(line, job);
    const record = own === undefined ? undefined : ` ${head.slice(0, -'JobName='.length)}${own}`;
    found.set(id, [...(found.get(id) ?? []), record]);
  }
  return [...listed].map(([id, job]) => {
    const records = found.get(id) ?? [];
    const [record] = records;
    if (records.length > 1)
      onProblem(
        `scontrol printed ${records.length} records of job ${id}: a text of a user looks like one, and none is used`,
      );
    else if (records.length === 1 && record === undefined)
      onProblem(`scontrol printed a text of the user of job ${id} where it prints fields, and the record is not used`);
    return { id, name: job.name, text: records.length === 1 && record !== undefined ? record : bareRecord(job) };
  });
}

/** What Slurm itself says in the line of a job, from behind its name on; undefined where a text of its user may be taken for that. */
function ownPart(line: string, { account }: ListedJob): string | undefined {
  const [own = ''] = line.split(TEXTS, 1);
  // Users choose an account where the site keeps none, and a label and a key (`--mcs-label`, `--wckey`): these stand before the state.
  const { 0: before, 1: given = '' } =
    /^ UserId=\S+ GroupId=\S+ MCS_label=N\/A Priority=\d+ Nice=-?\d+ Account=(.*?) QOS=\S+ JobState=/.exec(own) ?? [];
  if (before !== undefined && given === account) return own;
  const names = [...own.matchAll(/ ([A-Z][\w/:]*)=/g)].map(([, name]) => name);
  const isShown = names.includes('JobState') && line.split(' JobState=').length === 2;
  return isShown && new Set(names).size === names.length ? own : undefined;
}

/** The state stands first, and what a user may have chosen last: the first of two fields with one name counts. */
const bareRecord = ({ user, state, submitted, partition, account }: ListedJob): string =>
  ` JobState=${state} UserId=${user} SubmitTime=${submitted} Partition=${partition} Account=${account}`;
