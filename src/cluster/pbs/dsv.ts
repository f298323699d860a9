/**
 * Records as `-F dsv` prints them: one line each, `Job Id: 12.pbs|Job_Name=a|…`, with a backslash before bars and backslashes, and newlines
 * as `\n`.
 *
 * This form is asked for, because the others are worse: `-F json` is not valid where a value has a backslash or looks like a number, and
 * prints the first of several jobs only, release by release; plain `-f` is folded within words.
 */
export interface PbsRecord {
  /** The id of a job, the name of a queue, a server or a node. */
  readonly id: string;
  readonly fields: ReadonlyMap<string, string>;
}

const HEADS = { job: 'Job Id: ', queue: 'Queue: ', server: 'Server: ', node: 'Name=' } as const;

/** The whole lines that are records of this kind; the others are banners, or cut off. */
export function parseDsv(kind: keyof typeof HEADS, text: string): PbsRecord[] {
  const head = HEADS[kind];
  const lines = text.split('\n');
  // What follows the last newline is nothing, or was cut off: a state of `R` may have lost its field of substates.
  return lines.slice(0, -1).flatMap((line) => {
    if (!line.startsWith(head)) return [];
    const [id = '', ...values] = parts(line.slice(head.length));
    if (!/^[\w.[\]@:-]+$/.test(id)) return [];
    const fields = new Map<string, string>();
    for (const value of values) {
      const at = value.indexOf('=');
      if (at < 1) continue;
      const [name, text] = [value.slice(0, at), value.slice(at + 1)];
      // A limit of several users or groups is there once for each.
      const before = fields.get(name);
      fields.set(name, before === undefined ? text : `${before},${text}`);
    }
    return [{ id, fields }];
  });
}

/** The values between bars, without their backslashes. */
const parts = (line: string): string[] =>
  (line.match(/(?:\\.|[^\\|])+/gs) ?? []).map((part) =>
    part.replaceAll(/\\(.)/gs, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
  );

/** `Sun Nov 29 20:44:22 2026`, of a client whose time zone is UTC, in Unix milliseconds. */
export function parsePbsTime(text: string | undefined): number | undefined {
  if (text === undefined || !/^\w{3} \w{3} +\d{1,2} \d\d:\d\d:\d\d \d{4}$/.test(text)) return undefined;
  const time = Date.parse(`${text} UTC`);
  return Number.isNaN(time) ? undefined : time;
}

/** Seconds in `90`, `01:30` or `100:00:00`. */
export function parsePbsSeconds(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+(?::\d+){0,2}$/.test(text)) return undefined;
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}
