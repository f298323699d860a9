import { ServiceError } from '../client/errors.ts';
import type { ExchangeReply } from '../core/contract/exchange.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import type { News, Outbox } from './outbox.ts';

export interface SettleOptions {
  readonly exchange: (news: News) => Promise<ExchangeReply>;
  readonly outbox: Outbox;
  /** The turn that nobody has heard the end of yet. */
  readonly underWay: Promise<void> | undefined;
  /** The last change that the server told of: one that knows less is not the one that it was. */
  readonly knownId: number;
}

/** For the last news. What cannot be told by then is left to the journal and the ledger: the runner's time may be short. */
const SETTLE_MS = 8_000;
const FIRST_PAUSE_MS = 50;

/** Tells the server what is left at the end of a runner; not told when it could not be reached in time, or would not hear. */
export async function tellTheRest({
  exchange,
  outbox,
  underWay,
  knownId,
}: SettleOptions): Promise<{ isTold: boolean; counts?: JobStatusCounts }> {
  const untilMs = performance.now() + SETTLE_MS;
  let counts: JobStatusCounts | undefined;
  const told = (isTold: boolean) => ({ isTold, ...(counts === undefined ? {} : { counts }) });
  await inTime(underWay, untilMs);
  for (let pauseMs = FIRST_PAUSE_MS; !outbox.isEmpty;) {
    const news = outbox.take();
    try {
      const reply = await inTime(exchange(news), untilMs);
      if (reply === undefined || !(reply.change_id >= knownId)) throw new Error('no answer, or another database');
      outbox.acknowledged();
      counts = reply.jobs_by_status;
    } catch (error) {
      outbox.putBack(news);
      if (error instanceof ServiceError && error.status < 500) return told(false);
      if (performance.now() + pauseMs >= untilMs) return told(false);
      await new Promise((resolve) => void setTimeout(resolve, pauseMs));
      pauseMs *= 2;
    }
  }
  // What is still under way may never arrive.
  return told(outbox.untold().length === 0);
}

/** The outcome, or undefined when it is not there in time (of the monotonic clock). */
async function inTime<T>(outcome: Promise<T> | undefined, untilMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, untilMs - performance.now()));
  });
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
}
