import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Crew } from './crew.ts';
import { createDrain, type Drain } from './drain.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import { labelOf } from './label.ts';
import { endsIn } from './ledger.ts';
import type { RunnerOptions } from './options.ts';
import { createOutage, type Outage } from './outage.ts';
import type { Outbox } from './outbox.ts';
import type { Registered } from './register.ts';

interface Parts {
  readonly options: Pick<RunnerOptions, 'workflowId' | 'outputDir' | 'offline' | 'scheduler'>;
  readonly registered: Pick<Registered, 'facts' | 'nodeId' | 'ledger' | 'log'>;
  readonly crew: Crew;
  readonly outbox: Outbox;
  readonly patienceMs: number;
  /** May jobs be started again, when the server is back? */
  readonly mayGoOn: () => boolean;
  /** Ends the runner when there is nothing left to stay for. */
  readonly giveUp: () => void;
}

/**
 * A server that has said nothing for so long counts as away. It answers in milliseconds, and the longest turns of the
 * busiest server take a few seconds; somebody who looks for it more often than that does not wait that long either.
 */
const LONGEST_SILENCE_MS = 10_000;

/** What a runner has at hand for the time that the server is away; nothing of it costs anything before. */
export function prepareForOutages({ options, registered, crew, outbox, patienceMs, mayGoOn, giveUp }: Parts): {
  drain: Drain;
  journal: Journal;
  outage: Outage;
  silentMs: number;
} {
  const { workflowId, outputDir, offline } = options;
  const { facts, nodeId, ledger, log } = registered;
  const { runId } = facts;
  const label = labelOf({ workflowId, runId, hostname: hostname(), scheduler: options.scheduler });
  const owner = { workflowId, runId, nodeId, outputDir };
  const journal = createJournal({ ...owner, label }, Date.now);
  const drain = createDrain({
    crew,
    outbox,
    journal,
    toldJournal: createJournal({ ...owner, label: `${label}_told` }, Date.now),
    allEnds() {
      ledger.flush();
      return endsIn(ledger.path);
    },
    mayGoOn,
    reconcile: `torc workflows reconcile ${workflowId} ${runId} --base-dir ${resolve(outputDir)}`,
    log,
  });
  const pingMs = offline.pingIntervalSeconds * 1000;
  const outage = createOutage({
    patienceMs,
    pingMs,
    log,
    onOffline(meaning) {
      if (offline.isEnabled) drain.begin(meaning);
      if (!offline.isEnabled || crew.running === 0) giveUp();
    },
    onOnline: () => drain.end(),
  });
  return { drain, journal, outage, silentMs: Math.min(LONGEST_SILENCE_MS, pingMs) };
}
