/** The GPUs in a `gres` text: their number, and their type if it is given. */
export interface Gpus {
  readonly count: number;
  readonly type?: string;
}

/**
 * The GPUs that a generic-resources text such as `gpu:a100:2` or `nvme:1,gpu:4` grants; undefined if it names none.
 *
 * The first `gpu` entry counts, as in Torc. `gpu` and `gpu:x` without a number count as 0, because they grant the
 * site's default, which the text does not contain.
 * Source: sbatch(1) `--gres`, sinfo(1) `%G` with its `(S:0-3)` socket lists.
 */
export function parseGres(text: string): Gpus | undefined {
  const entry = text
    .replace(/\([^)]*\)/g, '')
    .split(',')
    .map((item) => item.trim().split(':'))
    .find(([name]) => name === 'gpu');
  if (entry === undefined) return undefined;
  const [, ...rest] = entry;
  const last = rest.at(-1);
  const count = last !== undefined && /^\d+$/.test(last) ? Number(last) : undefined;
  const type = count === undefined ? last : rest.length > 1 ? rest[0] : undefined;
  return type === undefined || type === '' ? { count: count ?? 0 } : { count: count ?? 0, type };
}
