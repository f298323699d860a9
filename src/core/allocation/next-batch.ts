interface Waiting {
  /** Records that are planned, in order. */
  readonly ids: readonly number[];
  /** How many more may wait in the queue; undefined without a limit. */
  readonly room: number | undefined;
  /** The most tasks of a job array; 1 where there are none. */
  readonly mostTasks: number;
}

/** The records of the next call of sbatch. */
interface Batch {
  readonly ids: readonly number[];
  /** Their numbers in the array follow from their ids, counted from the first. */
  readonly isArray: boolean;
}

/** The allocations that are submitted together: as a job array, or one alone. Undefined if the queue has no room. */
export function nextBatch({ ids, room, mostTasks }: Waiting): Batch | undefined {
  const free = Math.min(ids.length, room ?? Infinity);
  const [first] = ids;
  if (free <= 0 || first === undefined) return undefined;
  // Slurm limits the numbers of tasks, not only how many there are.
  const together = ids.slice(0, free).filter((id) => id - first < mostTasks);
  return together.length > 1 ? { ids: together, isArray: true } : { ids: [first], isArray: false };
}

/** The value of `sbatch --array` for these records: `0-2,5`. */
export function tasksText(ids: readonly number[], first: number): string {
  const ranges: [number, number][] = [];
  for (const task of ids.map((id) => id - first).toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === task - 1) last[1] = task;
    else ranges.push([task, task]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}
