import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import type { Need } from '../../core/contract/exchange.ts';
import { heldLicenses } from '../../core/job/amounts.ts';
import { parsedJson } from '../records/present.ts';
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
    ...licensesOf(row),
  },
});

/** Most jobs hold none: then the field is absent. */
function licensesOf({ licenses, needs_licenses: ofNeeds }: KindRow): Pick<Need, 'licenses'> {
  if (licenses === null && ofNeeds === null) return {};
  const held = heldLicenses(parsedJson(licenses), parsedJson(ofNeeds));
  return Object.keys(held).length === 0 ? {} : { licenses: held };
}

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
