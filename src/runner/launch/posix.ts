import { LaunchError, type Launcher, type LaunchRequest, type ProcessEnd } from './launcher.ts';
import { type Libc, openLibc, STRUCT_BYTES } from './libc.ts';
import { askForShortSlices } from './short-slices.ts';
import { createSpawn } from './spawn.ts';
import { createSpawnArguments } from './spawn-arguments.ts';
import { createWaitForChild } from './wait-for-child.ts';
import { createWithoutBash, environmentOfBash } from './without-bash.ts';
import { readdirSync } from 'node:fs';

export interface PosixOptions {
  readonly bash: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onEnd: (endings: readonly ProcessEnd[]) => void;
  /** The limit of open files for jobs, if the runtime raised the runner's own. */
  readonly openFilesLimit?: number | undefined;
}

/**
 * Launches through `posix_spawn`, called in libc by the runtime's foreign function interface. Undefined if the runtime
 * has no foreign functions or they do not work.
 *
 * The runtime's own spawn forks, which costs more the larger the process is and blocks its main thread; `posix_spawn`
 * does not. 10,000 `bash -c true` on two cores: 1,500 a second with 0.1 ms of main thread each, compared with 800 and
 * 0.55 ms (bench/many-jobs). `wait4` also gives the exact CPU time of each job.
 */
export function createPosixLauncher(options: PosixOptions): Launcher | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return build(options, openLibc());
  } catch {
    // Not this runtime, not allowed (--permission), another libc: the other launcher works everywhere.
    return undefined;
  }
}

function build({ bash, environment, onEnd, openFilesLimit }: PosixOptions, libc: Libc): Launcher {
  limitOpenFiles(libc, openFilesLimit);
  closeOnExec(libc);
  askForShortSlices(libc);
  const prepared = environmentOfBash(environment, process.cwd());
  const spawn = createSpawn(libc, createSpawnArguments(libc, bash, prepared));
  const programOf = createWithoutBash(prepared);
  const bound = createBinding(libc);
  const { someEnded, ended, untilEnd } = createWaitForChild(libc);
  refuseIfBroken((request) => untilEnd(spawn(request)));

  const start = (request: LaunchRequest): number => {
    const program = programOf(request);
    if (program === undefined) return spawn(request);
    try {
      return spawn({ ...request, program, variables: [...request.variables, ['_', program.path]] });
    } catch (error) {
      // A script without a first line that names its shell, or nothing that can be started: bash runs it, or says why not.
      if (error instanceof LaunchError && !error.isPassing) return spawn(request);
      throw error;
    }
  };

  const running = new Set<number>();
  const reap = () => {
    const endings: ProcessEnd[] = [];
    const take = (pid: number): boolean => {
      const end = running.has(pid) ? ended(pid) : undefined;
      if (end === undefined) return false;
      endings.push(end);
      return running.delete(pid);
    };
    // One signal may stand for many ends. The kernel names the children that ended: asking for each of 64 jobs would cost
    // more than all else that is done for one.
    let pid = someEnded();
    while (pid !== undefined && take(pid)) pid = someEnded();
    // A child of the runtime, which waits for it itself: the kernel would name no other before.
    if (pid !== undefined) for (const each of running) take(each);
    if (endings.length > 0) onEnd(endings);
  };
  process.on('SIGCHLD', reap);

  return {
    name: 'posix_spawn',
    launch(request) {
      const started = bound(request.cpus, () => start(request));
      running.add(started);
      return started;
    },
    close: () => {
      process.off('SIGCHLD', reap);
    },
  };
}

/** Runs a test job and waits for it: its result must be correct, otherwise the structures have another layout. */
function refuseIfBroken(tryOne: (request: LaunchRequest) => ProcessEnd | undefined): void {
  const ending = tryOne({ script: 'exit 7', variables: [], stdout: undefined, stderr: undefined });
  const works =
    ending?.exitCode === 7 &&
    (ending.cpuSeconds ?? -1) >= 0 &&
    (ending.cpuSeconds ?? 10) < 10 &&
    (ending.peakBytes ?? 0) > 0;
  if (!works) throw new Error('posix_spawn does not work as expected');
}

const F_SETFD = 2;
const FD_CLOEXEC = 1;
const RLIMIT_NOFILE = 7;

/**
 * Gives jobs the limit of open files that the runner had, if the runtime raised it.
 *
 * Throws if the limit cannot be read: structures or calls have another layout here.
 */
function limitOpenFiles({ calls, memory }: Libc, openFilesLimit: number | undefined): void {
  const limits = memory(STRUCT_BYTES);
  if (calls.getrlimit(RLIMIT_NOFILE, limits.at) !== 0) throw new Error('getrlimit failed');
  if (openFilesLimit === undefined || BigInt(openFilesLimit) >= limits.view.getBigUint64(0, true)) return;
  limits.view.setBigUint64(0, BigInt(openFilesLimit), true);
  calls.setrlimit(RLIMIT_NOFILE, limits.at);
}

/** Jobs would inherit the files that the runner inherited. */
function closeOnExec({ calls }: Libc): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2) calls.fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

/** The kernel is built for at most 8,192 CPUs. */
const CPU_SET_BYTES = 1024;

/**
 * A function that calls another while this thread is bound to CPUs: a process starts with the CPUs of the thread that
 * spawns it. Binding it later would miss what it forks meanwhile. Undefined CPUs bind nothing.
 */
function createBinding({ calls, memory }: Libc) {
  const ownCpus = memory(CPU_SET_BYTES);
  const jobCpus = memory(CPU_SET_BYTES);
  const isKnown = calls.sched_getaffinity(0, BigInt(CPU_SET_BYTES), ownCpus.at) === 0;

  return <Made>(cpus: readonly number[] | undefined, start: () => Made): Made => {
    if (cpus === undefined || !isKnown) return start();
    jobCpus.bytes.fill(0);
    for (const cpu of cpus) jobCpus.bytes[cpu >> 3] = (jobCpus.bytes[cpu >> 3] ?? 0) | (1 << (cpu & 7));
    calls.sched_setaffinity(0, BigInt(CPU_SET_BYTES), jobCpus.at);
    try {
      return start();
    } finally {
      calls.sched_setaffinity(0, BigInt(CPU_SET_BYTES), ownCpus.at);
    }
  };
}
