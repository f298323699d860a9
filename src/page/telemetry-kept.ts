import { ServiceError } from '../client/errors.ts';
import { connection } from './connection.ts';
import { useConnection, useLive } from './hooks.ts';

const LOOK_MS = 600_000;

/**
 * Whether the server keeps telemetry; undefined before it answers, and while the user is logged out. An older server that
 * keeps none refuses the question.
 */
export function useTelemetry(): boolean | undefined {
  const isOut = useConnection().is === 'logged out';
  return useLive(`telemetry ${isOut}`, isOut ? unasked : isKept, LOOK_MS).value;
}

const unasked = async () => undefined;

let answer: Promise<boolean> | undefined;

/** Asked once for all parts of the page, unless there was no answer. */
function isKept(): Promise<boolean> {
  answer ??= connection.client.listTelemetryClusters().then(
    ({ is_kept: isStored }) => isStored !== false,
    (error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) return false;
      answer = undefined;
      throw error;
    },
  );
  return answer;
}
