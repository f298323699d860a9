/** A part of a text and what stands there afterwards; with `end` equal to `at` it is an insertion. */
export interface Splice {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all of these changes. No two of them may overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let [at, result] = [0, ''];
  for (const splice of inOrder(splices)) {
    result += text.slice(at, splice.at) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** The changed lines as `diff -U0` prints them, without the names of the files. */
export function changedLines(text: string, splices: readonly Splice[]): string[] {
  const lines: string[] = [];
  // Each change with the whole lines that it touches; those on the same lines are one.
  const parts: { at: number; end: number; splices: Splice[] }[] = [];
  for (const splice of inOrder(splices)) {
    const at = text.lastIndexOf('\n', splice.at - 1) + 1;
    const next = text.indexOf('\n', splice.end);
    const end = next < 0 ? text.length : next;
    const last = parts.at(-1);
    if (last !== undefined && at <= last.end) {
      last.end = Math.max(last.end, end);
      last.splices.push(splice);
    } else parts.push({ at, end, splices: [splice] });
  }
  let [counted, line, moved] = [0, 1, 0];
  for (const part of parts) {
    line += text.slice(counted, part.at).split('\n').length - 1;
    counted = part.at;
    const before = text.slice(part.at, part.end);
    const inside = part.splices.map((each) => ({ ...each, at: each.at - part.at, end: each.end - part.at }));
    const [old, made] = withoutSame(before.split('\n'), spliced(before, inside).split('\n'));
    const from = line + old.skipped;
    lines.push(`@@ -${rangeOf(from, old.lines)} +${rangeOf(from + moved, made.lines)} @@`);
    for (const each of old.lines) lines.push(`-${each}`);
    for (const each of made.lines) lines.push(`+${each}`);
    moved += made.lines.length - old.lines.length;
  }
  return lines;
}

const inOrder = (splices: readonly Splice[]) => splices.toSorted((a, b) => a.at - b.at);

const rangeOf = (line: number, lines: readonly string[]): string =>
  lines.length === 0 ? `${line - 1},0` : lines.length === 1 ? String(line) : `${line},${lines.length}`;

/** Without the lines at both ends that are the same: an insertion touches a line that stays. */
function withoutSame(before: readonly string[], after: readonly string[]) {
  const shorter = Math.min(before.length, after.length);
  let skipped = 0;
  while (skipped < shorter && before[skipped] === after[skipped]) skipped += 1;
  let same = 0;
  while (same < shorter - skipped && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const cut = (lines: readonly string[]) => ({ skipped, lines: lines.slice(skipped, lines.length - same) });
  return [cut(before), cut(after)] as const;
}
