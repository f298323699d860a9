import { counted, someOf } from '../../core/quantity/count-text.ts';
import { type Alike, alikeOf } from '../../core/text/alike.ts';
import type { FieldChange, JobDifference } from '../../core/workflow-file/update/difference.ts';
import { tableOf } from './table.ts';

/** Families in the table; JSON has all jobs. */
const SHOWN = 50;

const count = ({ items }: Alike<JobDifference>): number => items.length;

/** The jobs that are added, changed or removed by families, with the words that differ; nothing where there is none. */
export function differenceLines(jobs: readonly JobDifference[], width: number): string[] {
  if (jobs.length === 0) return [];
  // Two families of one name differ in what happens to them.
  const families = [...Map.groupBy(jobs, ({ kind, reruns: runs }) => `${kind} ${String(runs)}`).values()].flatMap(
    (alike) => alikeOf(alike, ({ name }) => name, whyText),
  );
  const hasFamilies = families.some(({ items }) => items.length > 1);
  const { text } = tableOf<Alike<JobDifference>>(
    [
      ...(hasFamilies ? [{ title: 'Jobs', value: count, align: 'right', importance: 8 } as const] : []),
      { title: hasFamilies ? 'Name' : 'Job', value: ({ name }) => name, cut: 'middle', importance: 9 },
      { title: 'Change', value: ({ items: [first] }) => first?.kind, importance: 10 },
      { title: 'Runs', value: ({ items: [first] }) => (first?.reruns === true ? 'yes' : 'no'), importance: 8 },
      { title: 'Why', value: (family) => family.text, cut: 'end', importance: 7 },
    ],
    families.slice(0, SHOWN),
    width,
  );
  const more = families.slice(SHOWN).reduce((sum, family) => sum + count(family), 0);
  return [text, ...(more > 0 ? [`and ${counted(more, 'more job', 'more jobs')}; -f json lists all`] : [])];
}

function whyText({ kind, changes }: JobDifference): string {
  if (kind === 'removed') return 'the file does not have it any more';
  if (kind === 'added') return 'the file has it, the workflow does not';
  return changes.map(changeText).join('; ');
}

function changeText({ field, before, after, added, removed }: FieldChange): string {
  if (added !== undefined || removed !== undefined) {
    const parts = [
      ...(added === undefined || added.length === 0 ? [] : [`+ ${someOf(added)}`]),
      ...(removed === undefined || removed.length === 0 ? [] : [`- ${someOf(removed)}`]),
    ];
    return `${field} ${parts.join(' ')}`;
  }
  return `${field}: ${differingWords(before ?? 'none', after ?? 'none')}`;
}

/** Two texts that together have fewer characters are shown whole. */
const SHORT = 40;

/** `… --min-score 30 → 20 … exit 3 → 4` of two long commands: the words that differ, each place behind the last word before it. */
export function differingWords(before: string, after: string): string {
  const [had, has] = [before.split(/(?<=\s)/u), after.split(/(?<=\s)/u)];
  const places = placesOf(had, has);
  const hasCommon = places.length > 1 || places.some(({ from, to }) => to - from < had.length);
  if (!hasCommon || before.length + after.length < SHORT) return `${before} → ${after}`;
  const texts = places.map(({ from, to, newFrom, newTo }) => {
    const lead = from === 0 ? '' : (had[from - 1] as string);
    const [old, now] = [had.slice(from, to).join(''), has.slice(newFrom, newTo).join('')];
    // Words that only one of them has are shown with the word before them in both.
    const [shown, again] = old === '' || now === '' ? ['', lead] : [lead, ''];
    const part = (text: string) => `${again}${text}`.trim() || 'none';
    return `${shown}${part(old)} → ${part(now)}`;
  });
  const [first, last] = [places[0], places.at(-1)];
  const [isCut, hasMore] = [first !== undefined && first.from > 1, last !== undefined && last.to < had.length];
  return `${isCut ? '… ' : ''}${texts.join(' … ')}${hasMore ? ' …' : ''}`;
}

/** Words that are replaced: of the one list those from `from` to `to`, by those of the other one. */
interface Place {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** Comparisons of words: of longer texts the part from the first difference to the last is one place. A table of 100,000 jobs stays fast. */
const MOST_COMPARED = 2_500;

/** Where two lists of words differ: what stands between their longest common sequence. */
function placesOf(had: readonly string[], has: readonly string[]): Place[] {
  const least = Math.min(had.length, has.length);
  let start = 0;
  while (start < least && had[start] === has[start]) start += 1;
  let end = 0;
  while (end < least - start && had.at(-1 - end) === has.at(-1 - end)) end += 1;
  const [old, now] = [had.slice(start, had.length - end), has.slice(start, has.length - end)];
  const whole = { from: start, to: start + old.length, newFrom: start, newTo: start + now.length };
  if (old.length * now.length > MOST_COMPARED) return [whole];
  // The length of the longest common sequence of what begins at each pair of words.
  const width = now.length + 1;
  const common = new Int32Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] as number;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const places: Place[] = [];
  let [row, column, from, newFrom] = [0, 0, 0, 0];
  const close = () => {
    if (row > from || column > newFrom)
      places.push({ from: start + from, to: start + row, newFrom: start + newFrom, newTo: start + column });
  };
  while (row < old.length && column < now.length)
    if (old[row] === now[column]) {
      close();
      [from, newFrom] = [(row += 1), (column += 1)];
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  [row, column] = [old.length, now.length];
  close();
  return places;
}
