import type { Client } from '../../../client/client.ts';
import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import { readCauses } from '../../../core/lifecycle/retry/cause-rules.ts';
import type { Log } from '../../facts/log.ts';
import { type HandlerRules, NO_HANDLER, UNREADABLE } from './decide.ts';
import { readRetryRules } from './exit-code-rules.ts';

export interface HandlersOptions {
  readonly client: Pick<Client, 'getFailureHandler'>;
  /** Those that the workflow has at the start. */
  readonly present: readonly FailureHandler[];
  readonly log: Log;
}

/** The failure handlers of a workflow, each read once: the server cannot change them. */
export function createHandlers({ client, present, log }: HandlersOptions) {
  const handlerOf = ({ id, name, rules }: FailureHandler): HandlerRules => {
    try {
      return { rules: readRetryRules(rules), causes: readCauses(rules) };
    } catch (error) {
      log.write('warn', 'A failure handler cannot be read; its jobs stay failed', {
        failure_handler_id: id,
        name,
        reason: (error as Error).message,
      });
      return UNREADABLE;
    }
  };

  const known = new Map<number, HandlerRules>(present.map((each) => [each.id, handlerOf(each)]));

  const fetchHandler = async (id: number): Promise<HandlerRules> => {
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
    /** Whether one of those at the start has rules about causes. */
    haveCauses: [...known.values()].some(({ causes }) => causes !== undefined),
    /** The handler with this id, none without an id; one that was created later is fetched. Never rejects. */
    of(id: number | null | undefined): HandlerRules | Promise<HandlerRules> {
      if (!id) return NO_HANDLER;
      return known.get(id) ?? fetchHandler(id);
    },
  };
}
