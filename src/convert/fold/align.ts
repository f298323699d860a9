/** The values of the parameters of one job, by the name of the parameter. */
export type Row = ReadonlyMap<string, string>;

// Too few, and long commands are written for each job; too many, and a text that fits in no way costs seconds.
const MOST_STEPS = 20_000;

interface Step {
  /** How far each text is read. */
  readonly at: readonly number[];
  readonly written: string;
}

/**
 * One text with `{name}` in place of values, which with the values of each row is the text of that row; undefined if there is none.
 *
 * A value that also stands elsewhere in a text (`1` in `v1/1.txt`) is no parameter there, as soon as a row differs. Rows that are not
 * given may need another text: the caller compares.
 */
export function alignTexts(
  texts: readonly string[],
  rows: readonly Row[],
  names: readonly string[],
): string | undefined {
  const [first = ''] = texts;
  if (texts.every((each) => each === first)) return first;
  const columns = names.map((name) => ({ name, values: rows.map((row) => row.get(name) ?? '') }));
  const seen = new Set<string>();
  const waiting: Step[] = [{ at: texts.map(() => 0), written: '' }];
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const step = waiting.pop();
    if (step === undefined) return undefined;
    const { at, written, next } = readPlain(step);
    if (at.every((place, row) => place === texts[row]?.length)) return written;
    const key = at.join();
    if (seen.has(key)) continue;
    seen.add(key);
    // The last one is tried first: of several values the longest, and plain text after all of them.
    if (isSameLetter(at)) waiting.push({ at: at.map((place) => place + 1), written: written + first[at[0] ?? 0] });
    for (const { name, values } of next.toSorted((a, b) => lengthOf(a) - lengthOf(b)))
      waiting.push({
        at: at.map((place, row) => place + (values[row] ?? '').length),
        written: `${written}{${name}}`,
      });
  }
  return undefined;

  /** Up to where a value may stand, or the texts differ. */
  function readPlain({ at: from, written: before }: Step) {
    const at = [...from];
    let written = before;
    for (;;) {
      const next = columns.filter(({ values }) =>
        values.every((value, row) => texts[row]?.startsWith(value, at[row]) === true),
      );
      if (next.length > 0 || !isSameLetter(at)) return { at, written, next };
      written += first[at[0] ?? 0];
      for (let row = 0; row < at.length; row += 1) at[row] = (at[row] ?? 0) + 1;
    }
  }

  function isSameLetter(at: readonly number[]): boolean {
    const letter = first[at[0] ?? 0];
    return letter !== undefined && at.every((place, row) => texts[row]?.[place] === letter);
  }
}

const lengthOf = ({ values }: { readonly values: readonly string[] }): number =>
  values.reduce((sum, value) => sum + value.length, 0);
