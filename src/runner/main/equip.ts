import { steadyNow, timeOfDay } from '../../client/steady-clock.ts';
import { type Actions, createActions } from '../actions/actions.ts';
import { scriptsEndAt } from '../claim/deadline.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { AttemptOptions } from '../attempt/attempt.ts';
import { cpuLimitOf, memoryLimitOf } from '../observe/memory-limit.ts';
import type { TimeLimit } from '../claim/time-limit.ts';
import { STDIO_FOLDER } from '../../core/contract/files/job.ts';
import { type Crate, createCrate } from '../attempt/crate/crate.ts';
import { createOutputDisk, type OutputDisk } from '../attempt/output-disk.ts';
import { createRetry, type Retry } from '../attempt/retry/retry.ts';
import { createShells, type Shells } from '../launch/shell.ts';
import { type Monitor, startMonitor } from '../observe/monitor.ts';
import { createReportOutbox, type Outbox } from '../ledger/outbox.ts';
import { createSteps } from './create-steps.ts';
import type { Steps } from '../step/steps.ts';
import type { Joined } from '../setup/join.ts';

/** What a runner needs to run jobs and to report them. */
export interface Equipment {
  readonly steps: Steps;
  readonly monitor: Monitor;
  readonly outbox: Outbox;
  readonly disk: OutputDisk;
  readonly shells: Shells;
  readonly retry: Retry;
  readonly memoryLimitOf: NonNullable<AttemptOptions['memoryLimitOf']>;
  readonly crate: Crate | undefined;
  readonly actions: Actions;
}

export async function equip(
  { options, registered, server, patient }: Joined,
  given: {
    readonly startedAtMs: number;
    readonly limit: TimeLimit | undefined;
    /** No action is being executed any more. */
    readonly onActionsDone: () => void;
  },
): Promise<Equipment> {
  const { workflow, facts, ledger, log } = registered;
  const { reads } = server;
  const { limit } = given;
  const defaultId = await reads.defaultRequirements();
  const memoryLimit = (job: ClaimedJob) => memoryLimitOf(job, defaultId);
  const steps = await createSteps({
    memoryLimitOf: memoryLimit,
    cpuLimitOf: (job) => cpuLimitOf(job, defaultId),
    mode: registered.mode,
    client: patient,
    reads,
    workflow,
    facts,
    endAtMs: () => limit?.deadline.endAtMs,
    environment: { ...process.env },
    allocation: options.allocation,
    jobVariable: options.batch?.jobVariable,
    reachesAll: options.ending?.reachesAll === true,
    nodes: registered.nodes,
    launcherProgram: options.launcherProgram ?? [],
    log,
  });
  const monitor = await startMonitor({
    reads,
    workflow,
    facts,
    steps,
    mode: registered.mode,
    scheduler: options.scheduler,
    log,
  });
  const outbox = createReportOutbox();
  const disk = createOutputDisk({ folder: `${facts.outputDir}/${STDIO_FOLDER}`, log });
  const shells = createShells(() => limit && scriptsEndAt(limit.deadline), steadyNow);
  const retry = await createRetry({
    client: patient,
    reads,
    facts,
    usesPendingFailed: workflow.use_pending_failed === true,
    ledger,
    outbox,
    shells,
    log,
  });
  const crate = createCrate({
    client: patient,
    facts,
    workflow,
    startedAtMs: timeOfDay(given.startedAtMs).getTime(),
    log,
  });
  const actions = await createActions({
    client: patient,
    reads,
    facts,
    nodeId: registered.nodeId,
    shells,
    scheduling: options.scheduling,
    ledger,
    log,
    onDone: given.onActionsDone,
  });
  return { steps, monitor, outbox, disk, shells, retry, memoryLimitOf: memoryLimit, crate, actions };
}
