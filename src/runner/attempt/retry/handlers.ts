import type { Client } from '../../../client/client.ts';
import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import { readCauses } from '../../../core/lifecycle/cause-rules.ts';
import type { Log } from '../../facts/log.ts';
import { type Handler, NO_HANDLER, UNREADABLE } from './decide.ts';
import { readRules } from './rules.ts';

export interface HandlersOptions {
  readonly client: Pick<Client, 'getFailureHandler'>;
  /** Those that the workflow has at the start. */
  readonly present: readonly FailureHandler[];
  readonly log: Log;
}

/** The failure handlers of a workflow, each read once: the server cannot change them. */
export interface Handlers {
  /** Whether one of those at the start has rules about causes. */
  readonly haveCauses: boolean;
  /** The handler with this id, none without an id; one that was created later is fetched. Never rejects. */
  of(id: number | null | undefined): Handler | Promise<Handler>;
}

export function createHandlers({ client, present, log }: HandlersOptions): Handlers {
  const handlerOf = ({ id, name, rules }: FailureHandler): Handler => {
    try {
      return { rules: readRules(rules), causes: readCauses(rules) };
    } catch (error) {
      log.write('warn', 'A failure handler cannot be read; its jobs stay failed', {
        failure_handler_id: id,
        name,
        reason: (error as Error).message,
      });
      return UNREADABLE;
    }
  };

  const known = new Map<number, Handler>(present.map((each) => [each.id, handlerOf(each)]));

  const fetchHandler = async (id: number): Promise<Handler> => {
    try {
      const handler = handlerOf(await client.getFailureHandler({ params: { id } }));
      known.set(id, handler);
      return handler;
    } catch (error) {
      log.write('warn', 'A failure handler cannot be fetched; the job stays failed', {
        failure_handler_id: id,
        reason: (error as Error).message,
      });
      return UNREADABLE;
    }
  };

  return {
    haveCauses: [...known.values()].some(({ causes }) => causes !== undefined),
    of(id) {
      if (!id) return NO_HANDLER;
      return known.get(id) ?? fetchHandler(id);
    },
  };
}
