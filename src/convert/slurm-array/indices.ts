import { Refusal } from '../../core/contract/refusals.ts';
import { greatest, smallest } from '../../core/quantity/extremes.ts';

/** The tasks of `--array`. */
export interface Indices {
  /** As values of a parameter: `1:10`, `0:15:4` or `[1, 3, 7]`. */
  readonly values: string;
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly step: number;
  /** The tasks that Slurm runs at the same time at most. */
  readonly limit: number | undefined;
}

/**
 * The tasks of an `--array` of sbatch(1): `0-15`, `1,3,5-7`, `1-7:2`, each with `%4` at its end for a limit.
 *
 * Throws: `CONVERSION_REFUSED`.
 */
export function readIndices(text: string): Indices {
  const [, list = '', limit] = /^([^%]*)(?:%(\d+))?$/.exec(text.replaceAll(/[\s[\]]/g, '')) ?? [];
  const parts = list.split(',').map((part) => rangeOf(part, text));
  const [only] = parts;
  const numbers = [...new Set(parts.flatMap(({ from, to, by }) => numbersOf(from, to, by)))].toSorted((a, b) => a - b);
  const isRange = parts.length === 1 && only !== undefined && numbers.length > 1;
  return {
    values: isRange ? `${only.from}:${only.to}${only.by === 1 ? '' : `:${only.by}`}` : `[${numbers.join(', ')}]`,
    count: numbers.length,
    least: smallest(numbers),
    most: greatest(numbers),
    step: only?.by ?? 1,
    limit: limit === undefined || Number(limit) === 0 ? undefined : Number(limit),
  };
}

// Slurm's own limit, MaxArraySize, is 4,000,001 at most.
const MOST_TASKS = 4_000_001;

function rangeOf(part: string, text: string): { from: number; to: number; by: number } {
  const match = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part);
  const [from = 0, to = from, by = 1] = (match ?? []).slice(1).filter(Boolean).map(Number);
  if (match !== null && to >= MOST_TASKS)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `--array=${text} has task ${to}; Slurm numbers tasks up to ${MOST_TASKS - 1}`,
      { text },
    );
  if (match === null || to < from || by === 0)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `--array=${text} is no list of tasks; expected numbers and ranges such as 1-10, 1,3,5-7 or 0-15:4%2`,
      { text },
    );
  return { from, to, by };
}

const numbersOf = (from: number, to: number, by: number): number[] =>
  Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, at) => from + at * by);
