import { steadyNow } from '../../client/steady-clock.ts';
import { terminationOf } from '../../core/attempt/execution.ts';
import { ENDING_SIGNALS } from '../../core/attempt/signal.ts';
import { preferSmallHeap } from '../../cluster/host/small-heap.ts';
import { startPlannedSubmissions } from '../actions/planned.ts';
import { createCancelUnneeded } from '../actions/unneeded.ts';
import { makeThreadPool } from '../../cluster/host/thread-pool.ts';
import { beginWork } from './begin-work.ts';
import { runnerLimit } from './runner-limit.ts';
import { startGuardian } from '../launch/guardian.ts';
import { watchForStall } from '../launch/stall-watch.ts';
import { guardAllocationMemory } from '../observe/allocation-memory.ts';
import type { Runner, RunnerOptions, RunSummary } from '../facts/options.ts';
import { prepareForOutages } from '../outage/prepare.ts';
import { equip } from './equip.ts';
import { MESSAGES } from '../facts/messages.ts';
import { join, type Joined, patientClient } from '../setup/join.ts';
import type { Steps } from '../step/steps.ts';
import { tearDown } from '../teardown/teardown.ts';
import type { RunnerWork } from './work.ts';

/** How long teardown waits for a server that is away: at its end no other work is delayed. */
const TEARDOWN_PATIENCE_MS = 60_000;
/** The time for the results of jobs that are killed with their runner. */
const REPORT_SECONDS = 2;

/**
 * Runs jobs of a workflow on this machine until no work is left.
 *
 * Setup: the runner recovers jobs of lost runners of this host, registers, and opens the event stream. Then only events
 * drive it: a job that ended, a job that may have become ready, a signal, the time limit. Teardown: everything is
 * reported, the runner is deregistered, the ledger removed.
 */
export async function startRunner(given: RunnerOptions): Promise<Runner> {
  const startedAtMs = steadyNow();
  const startedAt = performance.now();
  makeThreadPool();
  // Before the first look at the folder.
  const stall = watchForStall(given.outputDir);
  const outlived = given.allocation === undefined ? undefined : outliveMessages();
  const joined = await join(given, startedAtMs);
  const { options, record, registered, server } = joined;
  const { log } = registered.run;
  const limit = runnerLimit(joined, startedAtMs, ({ killAtMs, abandonAtMs }) =>
    work.endForDeadline(killAtMs, abandonAtMs),
  );
  const cancelUnneeded = createCancelUnneeded(options.scheduling, log);
  const onActionsDone = () => work.on.workMayBeReady();
  const equipment = await equip(joined, { startedAtMs, limit, onActionsDone });
  const { steps, shells, actions } = equipment;
  const { journal, drainOf } = prepareForOutages({ options, registered });
  const signals = options.allocation !== undefined ? hearAllocation(steps, options) : undefined;
  const begun = beginWork(joined, { ...equipment, signaledAtMs: signals?.allAtMs, cancelUnneeded }, limit, drainOf);
  const { work } = begun;
  const { jobs, conversation, stop } = work;
  limit?.begin();
  const memoryGuard = guardMemory(joined, work, steps);
  const guardian = startGuardian(registered.own);
  log.write('info', 'Jobs are launched', { by: steps.name });
  void actions.begin().then(() => work.open());
  const planned = startPlannedSubmissions(options.scheduling, log);
  // When all is loaded: V8 would refuse code that was compiled with other flags, and compile it again.
  preferSmallHeap();

  const done = async (): Promise<RunSummary> => {
    const end = await work.finished;
    for (const part of [work.idlePolicy, begun, limit, memoryGuard, planned]) part?.close();
    jobs.stopStarting();
    registered.share?.close();
    const patient = patientClient(given, TEARDOWN_PATIENCE_MS);
    const parts = { client: server.client, patient, registered, record, journal, drain: work.drain, startedAt };
    const summary = await tearDown({ ...equipment, ...parts, conversation, jobs }, end);
    // After a stop, or where a new run has begun, this runner does not know what is still needed.
    if (summary.isReported && end.ending !== 'stopped' && end.ending !== 'superseded') {
      await cancelUnneeded();
      await planned.last();
    }
    guardian?.dismiss();
    stall?.close();
    signals?.close();
    outlived?.close();
    for (const part of [steps, stop, conversation, log]) part.close();
    return summary;
  };

  return {
    done: done(),
    stop({ now }) {
      // After its SIGTERM a batch system kills the runner too: its results are reported before.
      const { leadSeconds } = terminationOf(registered.run.execution);
      const killWait = options.ending?.killWaitSeconds ?? Infinity;
      const seconds = Math.min(leadSeconds, Math.max(1, killWait - REPORT_SECONDS));
      shells.limit(now ? 0 : seconds * 1000);
      signals?.asked();
      if (now) stop.kill('stop');
      else stop.ask('stop', steadyNow() + seconds * 1000);
    },
  };
}

/** From its first moment to its last a runner is not ended by what is a message to jobs: before it has jobs, and after them. */
function outliveMessages(): { close(): void } {
  const ignore = () => {};
  for (const signal of MESSAGES) process.on(signal, ignore);
  return {
    close() {
      for (const signal of MESSAGES) process.off(signal, ignore);
    },
  };
}

/**
 * Slurm continues the processes of an allocation before it signals them: then it is looked which jobs handle SIGTERM, and whether
 * an end came before or after. Signals that mean something to jobs alone (`scancel -s USR1`, `sbatch --signal=B:USR1@60`) go to them.
 */
function hearAllocation(
  { allocationSignaled, passOn }: Pick<Steps, 'allocationSignaled' | 'passOn'>,
  { allocation, ending }: RunnerOptions,
) {
  const onContinued = () => allocationSignaled('SIGCONT');
  process.on('SIGCONT', onContinued);
  // Those to the script of an allocation reach that process alone, however processes are tracked.
  const reachesAll = ending?.reachesAll === true && allocation?.step !== 'batch';
  let allAtMs: number | undefined;
  const hearAll = (signal: NodeJS.Signals) => {
    if (reachesAll && ENDING_SIGNALS.includes(signal.slice('SIG'.length))) allAtMs = Date.now();
    allocationSignaled(signal);
  };
  const hear = reachesAll ? hearAll : passOn;
  for (const signal of MESSAGES) process.on(signal, hear);
  return {
    asked: () => hearAll('SIGTERM'),
    /** When a signal reached this process that reaches all processes of the allocation, in Unix milliseconds. */
    allAtMs: () => allAtMs,
    close() {
      process.off('SIGCONT', onContinued);
      for (const signal of MESSAGES) process.off(signal, hear);
    },
  };
}

/** Protects the memory of an allocation, where the runner starts the processes and the workflow limits them. */
function guardMemory({ options, registered }: Joined, { jobs }: RunnerWork, steps: Steps) {
  const limitBytes = options.ending?.memoryBytes;
  const { mode, run } = registered;
  if (limitBytes === undefined || mode !== 'direct' || run.execution.limit_resources === false) return undefined;
  return guardAllocationMemory({
    limitBytes,
    needs: jobs.requests,
    observe: steps.observe,
    kill: jobs.killForMemory,
    log: run.log,
  });
}
