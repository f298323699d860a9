interface Edge {
  readonly job_id: number;
  readonly depends_on_job_id: number;
}

/** The jobs that depend on a job directly. */
export function dependentsIn(edges: Iterable<Edge>): (id: number) => Iterable<number> {
  const waiting = Map.groupBy(edges, ({ depends_on_job_id: upstream }) => upstream);
  return (id) => (waiting.get(id) ?? []).map(({ job_id: job }) => job);
}

/** What can be reached from these ids, without the ids themselves, along those that `isPassed` accepts. */
export function reachedFrom(
  ids: Iterable<number>,
  nextOf: (id: number) => Iterable<number>,
  isPassed: (id: number) => boolean = () => true,
): Set<number> {
  const roots = new Set(ids);
  const reached = new Set<number>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const next of nextOf(id)) {
      if (roots.has(next) || reached.has(next) || !isPassed(next)) continue;
      reached.add(next);
      open.push(next);
    }
  return reached;
}

/** The direct and indirect dependents of these jobs, without the jobs themselves. */
export const downstreamOf = (ids: Iterable<number>, edges: Iterable<Edge>): Set<number> =>
  reachedFrom(ids, dependentsIn(edges));
