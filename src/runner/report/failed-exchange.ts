import { ServiceError, Unreachable } from '../../client/errors.ts';

/**
 * The failure of a failed exchange.
 *
 * - `away`: no reply of the service itself. This includes a reply of a proxy, and a refused login: such faults are
 *   repaired, and no job is ended because of them.
 * - `behind`: the service answers from a database that is older than a change sent before, or from a different one.
 * - `superseded`: the workflow was deleted, or continued without this runner.
 */
export interface ExchangeFailure {
  readonly kind: 'away' | 'behind' | 'superseded';
  readonly reason: string;
  /** No server will answer: the runner does not wait for one. */
  readonly isForGood?: boolean;
}

/** The facts that the runner is certain of. */
export interface CertainFacts {
  readonly runId: number;
  /** The last change that the server sent. */
  readonly changeId: number;
}

/** Refusals which say that this runner no longer takes part in the workflow. */
const endings: ReadonlySet<string | undefined> = new Set(['RUN_SUPERSEDED', 'NOT_FOUND', 'REFERENCE_UNKNOWN']);

export function exchangeFailureOf(error: unknown, known: CertainFacts): ExchangeFailure {
  const { message: reason } = error as Error;
  if (error instanceof Unreachable || !(error instanceof ServiceError) || !endings.has(error.code))
    return { kind: 'away', reason, ...(error instanceof Unreachable && error.isForGood ? { isForGood: true } : {}) };
  const { current, change_id: changeId } = factsOf(error);
  if (changeId !== undefined && changeId < known.changeId) return behind(changeId, known);
  if (current !== undefined && current < known.runId)
    return { kind: 'behind', reason: `it is at run ${current} of the workflow, and this runner at run ${known.runId}` };
  return { kind: 'superseded', reason };
}

/** The failure of a reply that ends with an earlier change than the one before. */
export const behind = (changeId: number, known: CertainFacts): ExchangeFailure => ({
  kind: 'behind',
  reason: `its last change is ${changeId}, but it sent change ${known.changeId} to this runner`,
});

function factsOf({ text }: ServiceError): { current?: number; change_id?: number } {
  try {
    return (JSON.parse(text) as { error: object }).error;
  } catch {
    return {};
  }
}
