import { steadyNow, timeOfDay } from '../../client/steady-clock.ts';
import { createActions } from '../actions/actions.ts';
import { scriptsEndAt } from '../claim/deadline.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { cpuLimitOf, memoryLimitOf } from '../observe/memory-limit.ts';
import { timeoutOfClaimed } from '../../core/attempt/timeout.ts';
import type { TimeLimit } from '../claim/time-limit.ts';
import { STDIO_FOLDER } from '../../core/contract/files/job.ts';
import { createCrate } from '../attempt/crate/crate.ts';
import { createOutputDisk } from '../attempt/output-disk.ts';
import { createSweep } from '../report/sweep.ts';
import { createRetry } from '../attempt/retry/retry.ts';
import { createShells } from '../launch/shell.ts';
import { startMonitor } from '../observe/monitor.ts';
import { partsWithin } from '../setup/register.ts';
import { createSteps } from './create-steps.ts';
import type { Joined } from '../setup/join.ts';

export type Equipment = Awaited<ReturnType<typeof equip>>;

/** What a runner needs to run jobs and to report them. */
export async function equip(
  { options, registered, server, patient }: Joined,
  given: {
    readonly startedAtMs: number;
    readonly limit: TimeLimit | undefined;
    /** No action is being executed any more. */
    readonly onActionsDone: () => void;
  },
) {
  const { workflow, mode, run } = registered;
  const { reads } = server;
  const { limit } = given;
  const defaultId = await reads.defaultRequirements();
  const memoryLimit = (job: ClaimedJob) => memoryLimitOf(job, defaultId);
  const timeout = (job: ClaimedJob) => timeoutOfClaimed(job, run.execution, defaultId);
  const steps = await createSteps({
    memoryLimitOf: memoryLimit,
    cpuLimitOf: (job) => cpuLimitOf(job, defaultId),
    mode,
    client: patient,
    reads,
    workflow,
    run,
    endAtMs: () => limit?.deadline.endAtMs,
    environment: { ...process.env },
    allocation: options.allocation,
    jobVariable: options.batch?.jobVariable,
    reachesAll: options.ending?.reachesAll === true,
    nodes: registered.nodes,
    parts: partsWithin(options),
    isShared: options.ending?.isShared === true,
    launcherProgram: options.launcherProgram ?? [],
    onBroken: registered.capacity.drop,
  });
  const monitor = await startMonitor({
    reads,
    workflow,
    run,
    steps,
    mode,
    scheduler: options.scheduler,
  });
  const disk = createOutputDisk({ folder: `${run.outputDir}/${STDIO_FOLDER}`, log: run.log });
  const shells = createShells(() => limit && scriptsEndAt(limit.deadline), steadyNow);
  const retry = await createRetry({
    client: patient,
    reads,
    run,
    usesPendingFailed: workflow.use_pending_failed === true,
    shells,
  });
  const crate = createCrate({
    client: patient,
    run,
    workflow,
    startedAtMs: timeOfDay(given.startedAtMs).getTime(),
  });
  const sweep =
    options.keepTemporary === true ? undefined : createSweep({ client: patient, run, nodeId: registered.nodeId });
  const actions = await createActions({
    client: patient,
    reads,
    run,
    nodeId: registered.nodeId,
    shells,
    scheduling: options.scheduling,
    onDone: given.onActionsDone,
  });
  return { steps, monitor, disk, shells, retry, memoryLimitOf: memoryLimit, timeoutOf: timeout, crate, actions, sweep };
}
