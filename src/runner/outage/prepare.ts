import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { HeldJobs } from '../held/held-jobs.ts';
import { createDrain, type Drain } from './drain.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import { labelOf } from '../../core/contract/files/runner.ts';
import { endsIn } from '../ledger/read-ledger.ts';
import type { RunnerOptions } from '../facts/options.ts';
import type { Registered } from '../setup/register.ts';

interface Parts {
  readonly options: Pick<RunnerOptions, 'workflowId' | 'outputDir' | 'scheduler' | 'hint'>;
  readonly registered: Pick<Registered, 'run' | 'nodeId'>;
}

/** Prepares what a runner needs while the server is away; it costs nothing before that. */
export function prepareForOutages({ options, registered }: Parts): {
  readonly journal: Journal;
  /** `mayGoOn`: whether jobs may start again when the server is back. */
  drainOf(jobs: HeldJobs, mayGoOn: () => boolean): Drain;
} {
  const { workflowId, outputDir, hint = (command) => command } = options;
  const { run, nodeId } = registered;
  const { runId, ledger } = run;
  const label = labelOf({ workflowId, runId, hostname: hostname(), scheduler: options.scheduler });
  const owner = { workflowId, runId, nodeId, outputDir };
  const journal = createJournal({ ...owner, label }, Date.now);
  return {
    journal,
    drainOf: (jobs, mayGoOn) =>
      createDrain({
        jobs,
        run,
        journal,
        reportedJournal: createJournal({ ...owner, label: `${label}_told` }, Date.now),
        allEnds() {
          ledger.flush();
          return endsIn(ledger.path);
        },
        mayGoOn,
        reconcile: hint(`torc workflows reconcile ${workflowId} ${runId} --base-dir ${resolve(outputDir)}`),
      }),
  };
}
