import type { Log } from '../facts/log.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import type { Ledger } from './ledger.ts';
import type { Outbox } from './outbox.ts';

/** The run in which a runner takes part: its facts, and where the runner records what happens in it. */
export interface CurrentRun extends RunFacts {
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly log: Log;
}
