/** A job that Snakemake would run, with its wildcards replaced. */
export interface ResolvedJob {
  readonly rule: string;
  readonly isCheckpoint: boolean;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly log: readonly string[];
  readonly benchmark: readonly string[];
  /** The values of the wildcards by name, in the order of Snakemake. */
  readonly wildcards: ReadonlyMap<string, string>;
  readonly threads: number;
  readonly priority: number | undefined;
  /** `mem_mb=200, runtime=5` by name. */
  readonly resources: ReadonlyMap<string, string>;
  /** Undefined for a rule without a shell command. */
  readonly shell: string | undefined;
}

/** Jobs of a group are indented. */
const HEAD = /^(?: {4})?(?:local)?(rule|checkpoint) (\w+):$/;
/** The lines that end a job: the time before the next one, the statistics behind the last one. */
const END =
  /^(?: {4})?(?:\[\w{3} \w{3} +\d+ [\d:]+ \d{4}\]|Job stats:|This was a dry-run|Would remove temporary output|Job counts:)/;

/**
 * Reads what `snakemake --dry-run --printshellcmds` prints; versions 7 to 9.
 *
 * A job is a head, lines `    name: value`, and its shell command: behind `Shell command: `, before version 9 behind an empty line.
 */
export function readDryRun(text: string): ResolvedJob[] {
  const lines = text.split(/\r?\n/);
  const jobs: ResolvedJob[] = [];
  for (const [at, line] of lines.entries()) {
    const [, kind, rule] = HEAD.exec(line) ?? [];
    if (rule === undefined) continue;
    let end = at + 1;
    while (end < lines.length && !isEnd(lines[end] ?? '')) end += 1;
    jobs.push(jobOf(rule, kind === 'checkpoint', lines.slice(at + 1, end)));
  }
  return jobs;
}

const isEnd = (line: string): boolean => END.test(line) || HEAD.test(line);

function jobOf(rule: string, isCheckpoint: boolean, lines: readonly string[]): ResolvedJob {
  const fields = new Map<string, string>();
  let at = 0;
  for (; at < lines.length; at += 1) {
    const [, name, value] = /^(?: {4}){1,2}(\w[\w ]*): (.*)$/.exec(lines[at] ?? '') ?? [];
    if (name === undefined || value === undefined) break;
    fields.set(name, value);
  }
  const text = lines
    .slice(at)
    .join('\n')
    .replace(/^Shell command: ?/, '');
  const shell = withoutIndent(text);
  const list = (name: string) => (fields.get(name) ?? '').split(', ').filter((each) => each !== '');
  const paths = (name: string) => list(name).map((each) => each.replace(/ \(access: \w+\)$/, ''));
  const priority = Number(fields.get('priority') ?? Number.NaN);
  return {
    rule,
    isCheckpoint,
    input: paths('input'),
    output: paths('output'),
    log: paths('log'),
    benchmark: paths('benchmark'),
    // A value may have a comma: the next wildcard begins with its name.
    wildcards: new Map(
      (fields.get('wildcards') ?? '').split(/, (?=\w+=)/).flatMap((each) => (each === '' ? [] : [pairOf(each)])),
    ),
    threads: Number(fields.get('threads') ?? 1),
    priority: Number.isInteger(priority) ? priority : undefined,
    resources: new Map(list('resources').map((each) => pairOf(each))),
    shell: shell === '' || shell === 'None' ? undefined : shell,
  };
}

/** The same for the same job in another dry run. */
export const jobKey = ({ rule, input, output }: ResolvedJob): string => JSON.stringify([rule, output, input]);

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A command without empty lines around it and without the blanks that all of its lines begin with. */
function withoutIndent(text: string): string {
  const lines = text
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = indents.reduce((one, other) => Math.min(one, other), Infinity);
  return lines.map((line) => line.slice(Number.isFinite(least) ? least : 0)).join('\n');
}

/** How many jobs of each rule the dry run counts: a job with a message is printed without its rule and its files. */
export function countsOf(text: string): ReadonlyMap<string, number> {
  const [, table = ''] =
    /^(?:Job stats|Job counts):\n(?:job .*\n-.*\n|\s*count.*\n)?((?:\S+ +\d+.*\n)*)/m.exec(text) ?? [];
  const rows = [...table.matchAll(/^(\w+) +(\d+)/gm)].map(([, rule = '', count]) => [rule, Number(count)] as const);
  return new Map(rows.filter(([rule]) => rule !== 'total'));
}
