import { constants } from 'node:os';
import { type Allocation, jobIdOf } from '../../../cluster/batch/allocation.ts';
import { killTogether, signalProcess } from '../../../cluster/host/kill-together.ts';
import { makeFolder } from '../../../cluster/make-folder.ts';
import { STDIO_FOLDER, stepIdOf, type StepId } from '../../../core/contract/files/job.ts';
import { createLauncher, type LaunchOptions } from '../../launch/choose.ts';
import { type ProcessEnd, LaunchError, type Launcher } from '../../launch/launcher.ts';
import type { Log } from '../../facts/log.ts';
import { createOutputFolders } from '../../launch/output-folders.ts';
import type { CpuPool } from './cpu-pool.ts';
import type { JobGroups, KernelKill } from './job-groups.ts';
import { createContainerKills } from './container-kills.ts';
import { createKernelKills } from './kernel-kills.ts';
import { createProcessUse, type UseOfProcesses } from '../process-use.ts';
import type { RunFacts } from '../../facts/run-facts.ts';
import { createGpuUse } from '../gpu-use.ts';
import { environmentOfRun, launchRequestOf } from '../request.ts';
import { createSeenSignals } from './seen-signals.ts';
import type { SonarRecord } from '../sonar.ts';
import type { StepAccount, StepEnd, Steps } from '../steps.ts';

/** The allocation in which steps run, if there is one. */
interface AroundSteps {
  readonly allocation?: Pick<Allocation, 'jobId'> | undefined;
  /** The variable that names it; that of Slurm if absent. */
  readonly jobVariable?: string | undefined;
  /** What signals the allocation signals these processes too (`Manner`). */
  readonly reachesAll?: boolean | undefined;
}

export interface DirectOptions {
  readonly facts: RunFacts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly inside?: AroundSteps | undefined;
  readonly log: Log;
  /** Records the processes of steps; absent unless the workflow requests it. */
  readonly sonar?: SonarRecord | undefined;
  /** Binds each step to CPUs of its own; absent: all share those of this process. */
  readonly cpus?: Pick<CpuPool, 'take' | 'release'> | undefined;
  /** Control groups with the limits of `facts`; absent: nothing, or samples, limit jobs. */
  readonly groups?: JobGroups | undefined;
  /** The launcher; the default is the fastest that works here. */
  readonly launcherOf?: ((options: LaunchOptions) => Launcher) | undefined;
}

const SIGKILL = constants.signals.SIGKILL;
const KILLED_BY_KERNEL = 'the kernel killed it: memory ran out';

/** Steps that are processes of this machine: each is `bash -c` in its own process group. Everything is known at once. */
export function createDirectSteps({
  facts,
  environment,
  inside: { allocation, jobVariable, reachesAll = false } = {},
  log,
  sonar,
  cpus,
  groups,
  launcherOf = createLauncher,
}: DirectOptions): Steps {
  const pids = new Map<StepId, number>();
  const ids = new Map<number, StepId>();
  let report: (ended: readonly StepEnd[]) => void = () => {};
  let use: UseOfProcesses | undefined;
  const seen = createSeenSignals();
  const passed = createRecentSignals();
  const ordered = createRecentSignals();
  const kernelKills = createKernelKills();
  const killed = new Set<StepId>();
  const groupKills = new Map<StepId, KernelKill>();
  const containers = createContainerKills();
  const gpuUse = createGpuUse(environment);

  const accountOf = (end: StepEnd): StepAccount => {
    const account = { ...end, asked: seen.take(end.id) };
    const isOurs = killed.delete(end.id);
    const groupKill = groupKills.get(end.id);
    groupKills.delete(end.id);
    // Whatever its exit code: a part of its work was killed.
    if (groupKill !== undefined) {
      // Otherwise the runner that killed the rest of it has said so.
      if (!isOurs) log.write('warn', 'OOM violation detected:', { step: end.id, reason: groupKill.cause });
      return { ...account, endedBy: 'memory', cause: groupKill.cause };
    }
    // The shell of a job exits with 137 after the kill of a command.
    const isKilled = end.signal === SIGKILL || end.exitCode === 128 + SIGKILL;
    // Also where the runner killed the rest of it: another job that ends now must not take the kernel's kill for its own.
    if (!isKilled || !kernelKills.explain() || isOurs) return account;
    return { ...account, endedBy: 'memory', cause: KILLED_BY_KERNEL };
  };

  const onEnd = (endings: readonly ProcessEnd[]) => {
    const ended: StepEnd[] = [];
    for (const { pid, exitCode, signal, cpuSeconds, peakBytes } of endings) {
      const id = ids.get(pid);
      if (id === undefined) continue;
      ids.delete(pid);
      pids.delete(id);
      passed.forget(id);
      ordered.forget(id);
      seen.ended(id);
      cpus?.release(id);
      const groupKill = groups?.ended(id) ?? containers.ended(id);
      if (groupKill !== undefined) groupKills.set(id, groupKill);
      const knownPeakBytes = Math.max(peakBytes ?? 0, groupKill?.usedBytes ?? 0) || undefined;
      ended.push({ id, exitCode, signal, cpuSeconds, peakBytes: knownPeakBytes, ...gpuUse.end(id) });
      sonar?.ended(id, { pid, cpuSeconds, peakBytes });
    }
    report(ended);
  };
  const launcher = launcherOf({
    environment: environmentOfRun(environment, facts),
    onEnd,
    onWarning: (words) => log.write('warn', words),
  });

  return {
    name: launcher.name,
    listen(onEnded) {
      report = onEnded;
    },
    start(job, { gpus, need }) {
      createOutputFolders(job);
      const id = stepIdOf(facts, job);
      const request = { ...launchRequestOf(facts, job, gpus), cpus: cpus?.take(id, job) };
      try {
        const launch = () => withStdioFolder(facts, () => launcher.launch(request));
        const limits = facts.limitsOf?.(job) ?? {};
        containers.started(id, facts, job, limits.memoryBytes);
        const isLimited = limits.memoryBytes !== undefined || limits.cpus !== undefined;
        const pid = groups !== undefined && isLimited ? groups.launch(id, limits, launch) : launch();
        pids.set(id, pid);
        ids.set(pid, id);
        if (need.num_gpus > 0) gpuUse.begin(id);
        return { id, about: { pid } };
      } catch (error) {
        cpus?.release(id);
        groups?.ended(id);
        containers.ended(id);
        throw error;
      }
    },
    signal(id, signal) {
      const pid = pids.get(id);
      if (pid === undefined) return;
      if (signal === 'SIGKILL') killed.add(id);
      if (passed.has(id, signal)) return;
      ordered.add(id, signal);
      seen.sending(id, pid, signal);
      signalProcess(-pid, signal);
    },
    allocationSignaled(signal) {
      if (reachesAll) seen.allocation(signal, pids);
    },
    passOn(signal) {
      for (const [id, pid] of pids) {
        if (ordered.has(id, signal)) continue;
        seen.sending(id, pid, signal);
        passed.add(id, signal);
        signalProcess(pid, signal);
      }
    },
    kill(id) {
      const pid = pids.get(id);
      if (pid === undefined) return;
      killed.add(id);
      signalProcess(-pid, 'SIGSTOP');
      killTogether(() => use?.membersOf(pid) ?? []);
      signalProcess(-pid, 'SIGKILL');
    },
    observe(wanted) {
      use ??= createProcessUse({
        facts,
        allocationId: jobIdOf(allocation),
        jobVariable,
        pidOf: (id) => pids.get(id),
        log,
        onProcesses: (processes) => {
          sonar?.look(processes);
          void gpuUse.look(processes);
        },
      });
      const uses = use.of(wanted);
      if (groups === undefined) return uses;
      return new Map([...uses].map(([id, each]) => [id, { ...each, isOutOfMemory: groups.hasKills(id) }]));
    },
    account: accountOf,
    finish: () => sonar?.finish(),
    close() {
      launcher.close();
      sonar?.close();
      use?.close();
      kernelKills.close();
      groups?.close();
    },
  };
}

/** What stands where a job's output goes and is not opened, by the error of open(2). */
const NO_FILES: Readonly<Record<string, string>> = {
  ELOOP: 'a symbolic link, which is not followed',
  ENXIO: 'a named pipe',
  EISDIR: 'a folder',
};

/** Launches, and once more if the folder of the output, or another one of the run, was removed meanwhile. */
export function withStdioFolder(
  { outputDir }: Pick<RunFacts, 'outputDir'>,
  launch: () => number,
  others: readonly string[] = [],
): number {
  try {
    return launch();
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    const found = NO_FILES[error.code];
    if (found !== undefined)
      throw new LaunchError(error.code, `in the place of a file for its output below ${outputDir} is ${found}`);
    if (error.code !== 'ENOENT') throw error;
    try {
      for (const folder of [`${outputDir}/${STDIO_FOLDER}`, ...others]) makeFolder(folder);
    } catch (cause) {
      const { code = 'EUNKNOWN', message } = cause as NodeJS.ErrnoException;
      throw new LaunchError(code, message);
    }
    return launch();
  }
}

/**
 * The signals that steps have got from one side: the batch system through this process, or the runner by an order. What ends an
 * allocation signals this process and the runner, in any order: then the second one is the same signal once more.
 */
interface RecentSignals {
  add(id: StepId, signal: NodeJS.Signals): void;
  /** Whether the step has just got this signal. */
  has(id: StepId, signal: NodeJS.Signals): boolean;
  forget(id: StepId): void;
}

/** Too short, and a job of a busy node gets the signal twice; too long, and one that ignored it is not asked again. */
const SAME_MS = 5_000;

function createRecentSignals(): RecentSignals {
  const sentAt = new Map<StepId, Map<NodeJS.Signals, number>>();
  return {
    add(id, signal) {
      const signals = sentAt.get(id) ?? new Map<NodeJS.Signals, number>();
      sentAt.set(id, signals.set(signal, performance.now()));
    },
    has: (id, signal) => performance.now() - (sentAt.get(id)?.get(signal) ?? -Infinity) < SAME_MS,
    forget: (id) => void sentAt.delete(id),
  };
}
