/** Records of jobs in which nothing that a user has chosen is taken for what Slurm says. */
export interface ShownJob {
  readonly id: number;
  /** Chosen by its user: it may contain line breaks, and what looks like other fields. */
  readonly name: string;
  /** `Key=value`, separated by blanks: what Slurm itself says. */
  readonly text: string;
}

export interface JobOwner {
  readonly name: string;
  /** `ann(1001)`. */
  readonly user: string;
}

/** The format of squeue for the names and users of jobs. Who cannot know the mark cannot write it into a name. */
export const ownersFormat = (mark: string): string => `${mark}%A${mark}%u(%U)${mark}%j`;

/** Names and users of jobs, by their ids, in what squeue prints in this format. */
export function parseOwners(text: string, mark: string): ReadonlyMap<number, JobOwner> {
  const parts = text.split(mark).slice(1);
  const owners = new Map<number, JobOwner>();
  for (let at = 0; at + 2 < parts.length; at += 3)
    owners.set(Number(parts[at]), { user: parts[at + 1] ?? '', name: (parts[at + 2] ?? '').replace(/\n$/, '') });
  return owners;
}

/** Behind these stand texts of users: commands, paths, comments. */
const TEXTS = / (?:OverSubscribe|Exclusive|Shared|Licenses|Network|Command)=/;

/**
 * The records in what `scontrol -o show job` prints, of jobs that squeue lists.
 *
 * A name, a comment or a path with a line break can look like the record of another job. So a record counts only with the name and the user
 * that squeue has for its id, and where that is so twice, none counts: `onProblem` is called.
 */
export function shownJobs(
  text: string,
  owners: ReadonlyMap<number, JobOwner>,
  onProblem: (problem: string) => void,
): ShownJob[] {
  const found = new Map<number, ShownJob[]>();
  for (const { 0: head, 1: number, index } of text.matchAll(/^JobId=(\d+) (?:(?:Array|Het)\w+=\S+ )*JobName=/gm)) {
    const id = Number(number);
    const owner = owners.get(id);
    if (owner === undefined) continue;
    const begin = index + head.length;
    const named = `${owner.name} UserId=${owner.user} `;
    if (!text.startsWith(named, begin)) continue;
    const [line = ''] = text.slice(begin + owner.name.length).split('\n', 1);
    const [own = ''] = line.split(TEXTS, 1);
    found.set(id, [
      ...(found.get(id) ?? []),
      { id, name: owner.name, text: ` ${head.slice(0, -'JobName='.length)}${own}` },
    ]);
  }
  return [...found.values()].flatMap((records) => {
    if (records.length === 1) return records;
    onProblem(
      `scontrol printed ${records.length} records of job ${records[0]?.id}: a text of a user looks like one, and none is used`,
    );
    return [];
  });
}
