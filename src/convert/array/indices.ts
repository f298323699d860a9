import { Refusal } from '../../core/contract/refusals.ts';
import { greatest, smallest } from '../../core/quantity/extremes.ts';

/** The tasks of an array. */
export interface Indices {
  /** As values of a parameter: `1:10`, `0:15:4` or `[1, 3, 7]`. */
  readonly values: string;
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly step: number;
  /** The tasks that run at the same time at most. */
  readonly limit: number | undefined;
}

/** How a batch system counts tasks. */
export interface IndexRules {
  /** The option before them: `--array=`. */
  readonly option: string;
  /** Numbers and ranges, separated by commas; otherwise one range of at least two tasks. */
  readonly areLists: boolean;
  /** One more than the largest number. */
  readonly end: number;
  readonly name: string;
}

/**
 * The tasks of an array: `0-15`, `1,3,5-7`, `1-7:2`, each with `%4` at its end for a limit.
 *
 * Throws: `CONVERSION_REFUSED`.
 */
export function readIndices(text: string, rules: IndexRules): Indices {
  const [, list = '', limit] = /^([^%]*)(?:%(\d+))?$/.exec(text.replaceAll(/[\s[\]]/g, '')) ?? [];
  const parts = list.split(',').map((part) => rangeOf(part, text, rules));
  const [first, ...others] = parts;
  const isOne = first !== undefined && others.length === 0;
  const total = parts.reduce((sum, part) => sum + countOf(part), 0);
  if (!rules.areLists && (!isOne || total < 2)) throw noTasks(text, rules);
  if (!isOne && total > rules.end) throw tooMany(text, total, rules);
  const max = limit === undefined || Number(limit) === 0 ? undefined : Number(limit);
  return { ...(isOne ? ofRange(first) : ofList(parts)), step: first?.by ?? 1, limit: max };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly by: number;
}

const countOf = ({ from, to, by }: Range): number => Math.floor((to - from) / by) + 1;

/** By arithmetic: PBS takes ranges of 2^31 tasks. */
function ofRange(range: Range) {
  const { from, to, by } = range;
  const count = countOf(range);
  const values = count === 1 ? `[${from}]` : `${from}:${to}${by === 1 ? '' : `:${by}`}`;
  return { values, count, least: from, most: from + (count - 1) * by };
}

function ofList(parts: readonly Range[]) {
  const all = parts.flatMap((part) => Array.from({ length: countOf(part) }, (_, at) => part.from + at * part.by));
  const numbers = [...new Set(all)].toSorted((a, b) => a - b);
  return {
    values: `[${numbers.join(', ')}]`,
    count: numbers.length,
    least: smallest(numbers),
    most: greatest(numbers),
  };
}

function rangeOf(part: string, text: string, rules: IndexRules): Range {
  const match = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part);
  const [from = 0, to = from, by = 1] = (match ?? []).slice(1).filter(Boolean).map(Number);
  if (match !== null && to >= rules.end)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${rules.option}${text} has task ${to}; ${rules.name} numbers tasks up to ${rules.end - 1}`,
      { text },
    );
  if (match === null || to < from || by === 0) throw noTasks(text, rules);
  return { from, to, by };
}

const noTasks = (text: string, { option, areLists }: IndexRules): Refusal =>
  new Refusal(
    'CONVERSION_REFUSED',
    areLists
      ? `${option}${text} is no list of tasks; expected numbers and ranges such as 1-10, 1,3,5-7 or 0-15:4%2`
      : `${option}${text} is no range of tasks; expected at least two, such as 1-10, 0-15:4 or 1-100%10`,
    { text },
  );

const tooMany = (text: string, total: number, { option, end, name }: IndexRules): Refusal =>
  new Refusal('CONVERSION_REFUSED', `${option}${text} lists ${total} tasks; an array of ${name} has at most ${end}`, {
    text,
  });
