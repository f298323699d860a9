import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { RunningJobs } from '../jobs/running-jobs.ts';
import { createDrain, type Drain } from './drain.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import { labelOf } from '../../core/contract/files/runner.ts';
import { endsIn } from '../ledger/read-ledger.ts';
import type { RunnerOptions } from '../facts/options.ts';
import type { Outbox } from '../ledger/outbox.ts';
import type { Registered } from '../setup/register.ts';

interface Parts {
  readonly options: Pick<RunnerOptions, 'workflowId' | 'outputDir' | 'scheduler' | 'hint'>;
  readonly registered: Pick<Registered, 'facts' | 'nodeId' | 'ledger' | 'log'>;
  readonly outbox: Outbox;
}

/** Prepares what a runner needs while the server is away; it costs nothing before that. */
export function prepareForOutages({ options, registered, outbox }: Parts): {
  readonly journal: Journal;
  /** `mayGoOn`: whether jobs may start again when the server is back. */
  drainOf(runningJobs: RunningJobs, mayGoOn: () => boolean): Drain;
} {
  const { workflowId, outputDir, hint = (command) => command } = options;
  const { facts, nodeId, ledger, log } = registered;
  const { runId } = facts;
  const label = labelOf({ workflowId, runId, hostname: hostname(), scheduler: options.scheduler });
  const owner = { workflowId, runId, nodeId, outputDir };
  const journal = createJournal({ ...owner, label }, Date.now);
  return {
    journal,
    drainOf: (runningJobs, mayGoOn) =>
      createDrain({
        runningJobs,
        outbox,
        journal,
        reportedJournal: createJournal({ ...owner, label: `${label}_told` }, Date.now),
        allEnds() {
          ledger.flush();
          return endsIn(ledger.path);
        },
        mayGoOn,
        reconcile: hint(`torc workflows reconcile ${workflowId} ${runId} --base-dir ${resolve(outputDir)}`),
        log,
      }),
  };
}
