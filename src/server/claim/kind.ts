import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import type { KindRow } from './queries.ts';

export const jobKindOf = (row: KindRow): JobKind => ({
  labels: row.labels === null ? [] : (JSON.parse(row.labels) as string[]),
  schedulerId: row.scheduler_id,
  need: {
    num_cpus: row.num_cpus,
    memory_bytes: row.memory_bytes,
    num_gpus: row.num_gpus,
    num_nodes: row.num_nodes,
    runtime_seconds: row.runtime_s,
  },
});

/** Looks up the kind of a class, each once; undefined for a class that was deleted. */
export function createKinds(classById: {
  get(parameters: { id: number }): KindRow | undefined;
}): (classId: number) => JobKind | undefined {
  const known = new Map<number, JobKind | undefined>();
  return (id) => {
    if (!known.has(id)) {
      const row = classById.get({ id });
      known.set(id, row && jobKindOf(row));
    }
    return known.get(id);
  };
}
