import { after, type Timer } from '../../client/long-timers.ts';
import type { Packet } from './packet.ts';
import type { OnProblem, Sink } from './sink.ts';
import type { Spool } from './spool.ts';

/** How a delivery ended. `refused`: this message will be refused again, others may not. */
export type Delivery = { readonly kind: 'delivered' } | { readonly kind: 'refused' | 'later'; readonly reason: string };

export interface OutboxOptions {
  readonly spool: Spool;
  readonly deliver: (packet: Packet) => Promise<Delivery>;
  readonly onProblem: OnProblem;
  /** How long a message may wait before it is sent: nodes of a cluster share one clock, and must not send together. */
  readonly windowMs: number;
  /** Between 0 and 1. */
  readonly random?: () => number;
}

/** The shortest and the longest pause between attempts while the receiver is away. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How long a program that ends waits for its last messages; what is left stays in the spool. */
const CLOSE_MS = 5_000;

/** Sends messages in their order, from a spool on disk; what cannot be delivered now is delivered later. */
export function createMessageOutbox({
  spool,
  deliver,
  onProblem,
  windowMs,
  random = Math.random,
}: OutboxOptions): Sink {
  let timer: Timer | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let draining: Promise<void> | undefined;
  let isAway = false;
  let isClosing = false;
  /** Messages that had no room, and how many there were when that was logged last. */
  let [lost, reportedLost] = [0, 0];

  const lose = (count: number, reason: string) => {
    lost += count;
    // Logged again when it is twice as bad: an outage may last for days.
    if (lost < 2 * reportedLost) return;
    reportedLost = lost;
    onProblem(`${reason}: ${lost} messages are lost so far`);
  };

  const drain = async () => {
    for (let first = spool.first(); first !== undefined; first = spool.first()) {
      const result = await deliver(first.packet).catch((error: unknown): Delivery => ({
        kind: 'later',
        reason: (error as Error).message,
      }));
      if (result.kind === 'later') {
        if (!isAway) onProblem(`messages wait: ${result.reason}`);
        isAway = true;
        if (!isClosing) schedule(pauseMs * (0.5 + random() / 2));
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
        return;
      }
      if (result.kind === 'refused') onProblem(`a ${first.packet.type} message was refused: ${result.reason}`);
      spool.remove(first.id);
      if (isAway)
        onProblem(`messages are delivered again; ${spool.count} wait${lost === 0 ? '' : `, and ${lost} were lost`}`);
      isAway = false;
      [lost, reportedLost] = [0, 0];
      pauseMs = FIRST_PAUSE_MS;
    }
  };

  const start = (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    return (draining ??= drain().finally(() => (draining = undefined)));
  };
  const schedule = (delayMs: number) => {
    timer ??= after(delayMs, () => void start());
  };
  if (spool.count > 0) schedule(windowMs * random());

  return {
    send(packet) {
      try {
        const dropped = spool.add(packet);
        if (dropped > 0) lose(dropped, 'the spool is full, and the oldest go');
      } catch (error) {
        lose(1, `messages cannot be kept: ${(error as Error).message}`);
      }
      if (draining === undefined && !isAway) schedule(windowMs * random());
    },
    async close() {
      isClosing = true;
      timer?.cancel();
      let limit: Timer | undefined;
      const atMost = new Promise<void>((resolve) => (limit = after(CLOSE_MS, resolve)));
      await Promise.race([(draining ?? Promise.resolve()).then(start), atMost]);
      limit?.cancel();
      if (spool.count > 0) onProblem(`${spool.count} messages stay in the spool, for the next start`);
    },
  };
}
