import { ServiceError, Unreachable } from '../client/errors.ts';

/**
 * What it means that an exchange failed.
 *
 * - `away`: no answer of the service itself. Also a proxy that answers in its place, and a login that is refused: what
 *   people break they repair, and no job is ended for it.
 * - `behind`: the service answers out of a database that is older than what the runner was told before, or another one.
 * - `superseded`: the workflow is gone, or went on without this runner.
 */
export interface Meaning {
  readonly kind: 'away' | 'behind' | 'superseded';
  readonly reason: string;
}

/** What the runner knows for certain. */
export interface Known {
  readonly runId: number;
  /** The last change that the server told of. */
  readonly changeId: number;
}

/** Refusals by which the service says that this runner has no part in the workflow. */
const endings: ReadonlySet<string | undefined> = new Set(['RUN_SUPERSEDED', 'NOT_FOUND', 'REFERENCE_UNKNOWN']);

export function meaningOf(error: unknown, known: Known): Meaning {
  const { message: reason } = error as Error;
  if (error instanceof Unreachable || !(error instanceof ServiceError) || !endings.has(error.code))
    return { kind: 'away', reason };
  const { current, change_id: changeId } = factsOf(error);
  if (changeId !== undefined && changeId < known.changeId) return behind(changeId, known);
  if (current !== undefined && current < known.runId)
    return { kind: 'behind', reason: `it is at run ${current} of the workflow, and this runner at run ${known.runId}` };
  return { kind: 'superseded', reason };
}

/** What it means that an answer ends with an earlier change than the one before. */
export const behind = (changeId: number, known: Known): Meaning => ({
  kind: 'behind',
  reason: `its last change is ${changeId}, and this runner was told of change ${known.changeId}`,
});

function factsOf({ text }: ServiceError): { current?: number; change_id?: number } {
  try {
    return (JSON.parse(text) as { error: object }).error;
  } catch {
    return {};
  }
}
