import type { RunPlace } from '../core/lifecycle/explain/next-command.ts';
import { placeOf } from '../core/lifecycle/explain/place.ts';
import { connection } from './connection.ts';
import { useLive } from './hooks.ts';

const EVERY_MS = 15_000;

/** Where the jobs of a workflow run; undefined until it is known. */
export const usePlace = (id: number): RunPlace | undefined => {
  const known = useLive(`place ${id}`, () => connection.client.getKnownWorkflow({ params: { id } }), EVERY_MS).value;
  return known === undefined ? undefined : placeOf(known);
};
