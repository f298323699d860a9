import type { AttemptList } from '../../core/lifecycle/timeline/attempt-list.ts';
import { positionIn } from '../../core/lifecycle/families/families.ts';
import { beginSlice } from '../store/slices.ts';
import type { FamiliesOf, KeptFamilies } from './families.ts';
import { familyNames } from './graph.ts';
import { ROWS } from '../store/parts.ts';
import type { ViewQueries } from './queries.ts';

/** What divides attempts into bands: families of jobs, or runners. */
export interface TimelineParts {
  readonly length: number;
  /** The part of an attempt, as a number; another number than those of parts if it has none. */
  readonly of: (attempt: number) => number;
  readonly keyOf: (part: number) => string;
  readonly namesOf: (parts: readonly number[]) => ReadonlyMap<number, string>;
}

const NONE = 0xffff_ffff;

export function createTimelineParts(queries: ViewQueries, familiesOf: FamiliesOf) {
  const placed = new WeakMap<AttemptList, { families: KeptFamilies; of: Uint32Array }>();

  return {
    async family(workflowId: number, list: AttemptList): Promise<TimelineParts> {
      let found = placed.get(list);
      if (found === undefined) {
        // Which jobs are of a family hardly changes: only a job that is new to them needs newer ones.
        found = await place(list, await familiesOf.held(workflowId));
        if (found.of.includes(NONE)) found = await place(list, await familiesOf(workflowId));
        placed.set(list, found);
      }
      const { families, of } = found;
      return {
        length: families.families.length,
        of: (attempt) => of[attempt] as number,
        keyOf: (part) => families.families[part]?.key ?? '',
        namesOf(parts) {
          const names = familyNames(
            parts.flatMap((part) => families.families[part] ?? []),
            queries,
          );
          return new Map(parts.map((part, at) => [part, names[at] as string]));
        },
      };
    },

    async runner(_: number, { runners, runnerIds }: AttemptList): Promise<TimelineParts> {
      // By id: the first one to start is the first one.
      const order = [...runnerIds.keys()].toSorted(
        (one, other) => (runnerIds[one] as number) - (runnerIds[other] as number),
      );
      const placeOf = new Uint32Array(order.length);
      for (const [place, runner] of order.entries()) placeOf[runner] = place;
      const idOf = (part: number) => runnerIds[order[part] as number] as number;
      return {
        length: order.length,
        of: (attempt) => placeOf[runners[attempt] as number] as number,
        keyOf: (part) => String(idOf(part)),
        namesOf(parts) {
          const rows = queries.hostnames.all({ ids: JSON.stringify(parts.map(idOf)) });
          const hosts = new Map(rows.map(({ id, hostname }) => [id, hostname]));
          const times = Map.groupBy(rows, ({ hostname }) => hostname);
          return new Map(
            parts.map((part) => {
              const host = hosts.get(idOf(part));
              if (host === undefined) return [part, `runner ${idOf(part)}`];
              return [part, (times.get(host) ?? []).length > 1 ? `${host}, runner ${idOf(part)}` : host];
            }),
          );
        },
      };
    },
  };
}

async function place(list: AttemptList, families: KeptFamilies) {
  const { ids, familyOf } = families;
  const slice = beginSlice();
  const of = new Uint32Array(list.length);
  const first = ids[0] ?? 0;
  for (let attempt = 0; attempt < list.length; attempt += 1) {
    const jobId = list.jobIds[attempt] as number;
    // The ids of a workflow mostly follow one another.
    const position = ids[jobId - first] === jobId ? jobId - first : positionIn(ids, jobId);
    of[attempt] = familyOf[position] ?? NONE;
    if (attempt % ROWS === 0 && slice.isOver) await slice.pause();
  }
  return { families, of };
}
