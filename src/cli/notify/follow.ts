import { fingerprintOf } from '../../cluster/notify/fingerprint.ts';
import { sendMessage } from '../../cluster/notify/send.ts';
import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { ServiceError } from '../../client/errors.ts';
import { repeatEvery } from '../../client/long-timers.ts';
import type { Digest } from '../../core/notify/digest.ts';
import { knowsRepeats, type MessageReceiver } from '../../core/notify/receiver.ts';
import { Failure } from '../command/failure.ts';
import type { Context } from '../command/context.ts';
import type { ChosenReceivers } from './receivers.ts';

/** How often the server is asked for messages while the command lives. */
const LOOK_MS = 5_000;
/** The command waits no longer for its last messages: a receiver may hang. */
const LAST_MS = 15_000;

interface Followed {
  readonly context: Context;
  readonly client: Client;
  readonly workflowId: number;
  readonly chosen: ChosenReceivers;
}

/** Sends messages about a workflow while this command lives; `end` sends the last ones. */
export async function followMessages({ context, client, workflowId, chosen }: Followed): Promise<() => Promise<void>> {
  const { output, environment } = context;
  for (const receiver of chosen.ofServer) await want(client, workflowId, receiver);
  const after = new Map<string, number>();
  const leftToServer = new Set<string>();
  const reported = new Set<string>();

  const sendTo = async (receiver: MessageReceiver & { readonly isNamed: boolean }, isLast: boolean): Promise<void> => {
    const { name } = receiver;
    const claim = {
      receiver: name,
      fingerprint: fingerprintOf(receiver),
      on: [...receiver.on],
      ends_only_bad: receiver.endsOnlyBad,
      knows_repeats: knowsRepeats(receiver),
      fail_percent: receiver.failPercent,
      time_percent: receiver.timePercent,
      silent_seconds: receiver.silentSeconds,
      budget_core_hours: receiver.budgetCoreHours,
      after: after.get(name),
      is_last: isLast,
    };
    const found = await client.claimMessages({ params: { id: workflowId }, body: claim });
    if (found.sender === 'server') {
      leftToServer.add(name);
      if (receiver.isNamed && !receiver.always) await want(client, workflowId, name);
      return;
    }
    for (const { id, key, digest } of found.messages) {
      const outcome = await sendMessage(receiver, { key, digest: digest as unknown as Digest }, environment);
      if (outcome.kind !== 'sent' && !reported.has(`${name} ${outcome.why}`)) {
        reported.add(`${name} ${outcome.why}`);
        output.warn(`a message to ${name} could not be sent${outcome.kind === 'later' ? ' yet' : ''}: ${outcome.why}`);
      }
      await client.endMessage({
        params: { id: workflowId, message_id: id },
        body: { outcome: outcome.kind, ...(outcome.kind === 'sent' ? {} : { why: outcome.why }) },
      });
    }
    after.set(name, found.after);
  };

  let running: Promise<void> | undefined;
  const look = (isLast: boolean): Promise<void> => {
    const receivers = chosen.own.filter(({ name }) => !leftToServer.has(name));
    return Promise.all(receivers.map((receiver) => sendTo(receiver, isLast))).then(
      () => {},
      (error: unknown) => {
        const words = isUnknownRoute(error)
          ? 'messages need a server of this torc; this one has no route for them'
          : `messages could not be looked for: ${(error as Error).message}`;
        // A server that is away is waited for: the next look tries again.
        if (isLast || isUnknownRoute(error)) sayOnce(words);
      },
    );
  };
  const sayOnce = (words: string) => {
    if (!reported.has(words)) output.warn(words);
    reported.add(words);
  };
  const later = () => {
    running ??= look(false).finally(() => {
      running = undefined;
    });
  };
  later();
  const timer = repeatEvery(LOOK_MS, later).unref();
  return async () => {
    timer.cancel();
    await running;
    const late = new Promise<void>((resolve) => void setTimeout(resolve, LAST_MS).unref());
    await Promise.race([look(true), late]);
  };
}

async function want(client: Client, id: number, receiver: string): Promise<void> {
  try {
    await client.wantMessages({ params: { id }, body: { receiver } });
  } catch (cause) {
    if (!(cause instanceof ServiceError && cause.status === 404)) throw cause;
    throw new Failure(`--notify ${receiver}: neither the configuration nor the server has a receiver of this name`, {
      cause,
    });
  }
}
