interface Edge {
  readonly job_id: number;
  readonly depends_on_job_id: number;
}

/** The direct and indirect dependents of these jobs, without the jobs themselves. */
export function downstreamOf(ids: Iterable<number>, edges: Iterable<Edge>): Set<number> {
  const waiting = new Map<number, number[]>();
  for (const { job_id: job, depends_on_job_id: upstream } of edges) {
    const jobs = waiting.get(upstream);
    if (jobs === undefined) waiting.set(upstream, [job]);
    else jobs.push(job);
  }
  const roots = new Set(ids);
  const seen = new Set(roots);
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const job of waiting.get(id) ?? []) {
      if (seen.has(job)) continue;
      seen.add(job);
      open.push(job);
    }
  }
  for (const root of roots) seen.delete(root);
  return seen;
}
