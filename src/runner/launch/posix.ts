import { readdirSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { type ProcessEnd, LaunchError, type Launcher, type LaunchRequest } from './launcher.ts';
import { OPEN } from '../../cluster/trust.ts';
import { asUser, modeOfFiles } from '../../cluster/umask.ts';

/**
 * Launches through `posix_spawn`, called in libc by the runtime's foreign function interface.
 *
 * The runtime's own spawn forks, which costs more the larger the process is and blocks its main thread; `posix_spawn`
 * does not. 10,000 `bash -c true` on two cores: 1,500 a second with 0.1 ms of main thread each, compared with 800 and
 * 0.55 ms (bench/many-jobs). `wait4` also gives the exact CPU time of each job.
 *
 * Buffers whose addresses are passed to libc stay in `kept` for the life of the process: if one were collected while
 * its address is in use, memory would be corrupted.
 */

type Pointer = bigint;
type Call = (...args: (number | Pointer)[]) => number | bigint;

/** The runtime renamed these between versions; it ignores unknown names. */
interface Signature {
  readonly arguments: readonly string[];
  readonly return: string;
  readonly parameters: readonly string[];
  readonly result: string;
}

const takes = (...types: string[]): Signature => ({
  arguments: types,
  return: 'i32',
  parameters: types,
  result: 'i32',
});

interface ForeignFunctions {
  dlopen(path: null, definitions: Record<string, Signature>): { functions: Record<string, Call> };
  getRawPointer(buffer: ArrayBuffer): Pointer;
}

const FLAGS = 0x04 | 0x08 | 0x80; // SETSIGDEF, SETSIGMASK, SETSID
const O_RDONLY = 0;
const WNOHANG = 1;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const RLIMIT_NOFILE = 7;

/** Larger than any libc's: file actions take 80 bytes, attributes 336, a signal set 128, rusage 144 (glibc) or 272 (musl). */
const STRUCT_BYTES = 512;
/** The kernel accepts 2 MiB of arguments and environment together with the usual stack limit; more is refused. */
const SCRATCH_BYTES = 4 * 2 ** 20;
/** The kernel accepts at most 128 KiB for one argument. */
const ARGUMENT_BYTES = 128 * 1024;
const POINTERS = 16_384;
/** The kernel is built for at most 8,192 CPUs. */
const CPU_SET_BYTES = 1024;

const kept: ArrayBuffer[] = [];

export interface PosixOptions {
  readonly bash: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onEnd: (endings: readonly ProcessEnd[]) => void;
  /** The limit of open files for jobs, if the runtime raised the runner's own. */
  readonly openFilesLimit?: number | undefined;
}

/** The launcher, or undefined if the runtime has no foreign functions or they do not work. */
export function createPosixLauncher(options: PosixOptions): Launcher | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return build(options, foreignFunctions());
  } catch {
    // Not this runtime, not allowed (--permission), another libc: the other launcher works everywhere.
    return undefined;
  }
}

function foreignFunctions(): ForeignFunctions {
  // The runtime warns that the interface is experimental; users need not read that.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const ffi = (process.getBuiltinModule as (name: string) => unknown)('node:ffi') as ForeignFunctions | undefined;
    if (ffi === undefined) throw new Error('this runtime has no node:ffi');
    return ffi;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function build({ bash, environment, onEnd, openFilesLimit }: PosixOptions, ffi: ForeignFunctions): Launcher {
  const memory = (bytes: number) => {
    const buffer = new ArrayBuffer(bytes);
    kept.push(buffer);
    return { bytes: Buffer.from(buffer), view: new DataView(buffer), at: ffi.getRawPointer(buffer) };
  };
  const p = 'pointer';
  const i = 'i32';
  const { functions } = ffi.dlopen(null, {
    posix_spawn: takes(p, p, p, p, p, p),
    posix_spawnattr_init: takes(p),
    posix_spawnattr_setflags: takes(p, 'i16'),
    posix_spawnattr_setsigdefault: takes(p, p),
    posix_spawnattr_setsigmask: takes(p, p),
    posix_spawn_file_actions_init: takes(p),
    posix_spawn_file_actions_destroy: takes(p),
    posix_spawn_file_actions_addopen: takes(p, i, p, i, 'u32'),
    posix_spawn_file_actions_adddup2: takes(p, i, i),
    sigemptyset: takes(p),
    wait4: takes(i, p, i, p),
    fcntl: takes(i, i, i),
    getrlimit: takes(i, p),
    setrlimit: takes(i, p),
    syscall: { ...takes('i64', 'i64', p, 'i64', 'i64'), return: 'i64', result: 'i64' },
    sched_getaffinity: takes(i, 'i64', p),
    sched_setaffinity: takes(i, 'i64', p),
  });
  const invoke = (name: string, ...args: (number | Pointer)[]) => Number((functions[name] as Call)(...args));

  // A check that structures and calls have the expected layout: a limit that can be read.
  const limits = memory(STRUCT_BYTES);
  if (invoke('getrlimit', RLIMIT_NOFILE, limits.at) !== 0) throw new Error('getrlimit failed');
  if (openFilesLimit !== undefined && BigInt(openFilesLimit) < limits.view.getBigUint64(0, true)) {
    limits.view.setBigUint64(0, BigInt(openFilesLimit), true);
    invoke('setrlimit', RLIMIT_NOFILE, limits.at);
  }
  closeOnExec(invoke);
  askForShortSlices(invoke, memory(STRUCT_BYTES));

  const attributes = memory(STRUCT_BYTES);
  const allSignals = memory(STRUCT_BYTES);
  const noSignals = memory(STRUCT_BYTES);
  invoke('posix_spawnattr_init', attributes.at);
  // Not by sigfillset: it leaves out the two signals that libc reserves for threads, and jobs would then ignore those.
  allSignals.bytes.fill(0xff);
  invoke('sigemptyset', noSignals.at);
  invoke('posix_spawnattr_setflags', attributes.at, FLAGS);
  invoke('posix_spawnattr_setsigdefault', attributes.at, allSignals.at);
  invoke('posix_spawnattr_setsigmask', attributes.at, noSignals.at);

  const actions = memory(STRUCT_BYTES);
  const pid = memory(STRUCT_BYTES);
  const status = memory(STRUCT_BYTES);
  const usage = memory(STRUCT_BYTES);
  const scratch = memory(SCRATCH_BYTES);
  const pointers = memory(POINTERS * 8);

  let used = 0;
  /** Writes a string into the scratch memory and returns its address. */
  const put = (text: string): Pointer => {
    const at = used;
    const room = scratch.bytes.length - at - 1;
    const length = scratch.bytes.write(text, at, room, 'utf8');
    // A character takes up to four bytes: with less space left, the text may have been cut.
    if (room - length < 4) throw new LaunchError('E2BIG', 'the environment and the command are larger than 4 MiB');
    scratch.bytes[at + length] = 0;
    used = at + length + 1;
    return scratch.at + BigInt(at);
  };

  // The environment that every job gets is at the start of the scratch memory, written once.
  const bashAt = put(bash);
  const bashName = put('bash');
  const dashC = put('-c');
  const devNull = put('/dev/null');
  const inherited = new Map<string, Pointer>();
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) inherited.set(name, put(`${name}=${value}`));
  }
  const head = used;

  const putWord = (word: string): Pointer => {
    const at = put(word);
    const bytes = used - Number(at - scratch.at);
    if (bytes > ARGUMENT_BYTES) {
      throw new LaunchError('E2BIG', `the command is ${bytes - 1} bytes long; the kernel takes ${ARGUMENT_BYTES - 1}`);
    }
    return at;
  };

  const spawn = ({ script, program, without, variables, stdout, stderr }: LaunchRequest): number => {
    used = head;
    const pathAt = program === undefined ? bashAt : put(program.path);
    const words = program === undefined ? [bashName, dashC, putWord(script)] : program.words.map(putWord);
    let next = 0;
    const point = (at: Pointer) => {
      if (next >= POINTERS) throw new LaunchError('E2BIG', `the environment has more than ${POINTERS - 8} variables`);
      pointers.view.setBigUint64(next * 8, at, true);
      next += 1;
    };
    for (const at of [...words, 0n]) point(at);
    const environmentAt = pointers.at + BigInt(next * 8);
    const own = new Set(variables.map(([name]) => name));
    for (const [name, at] of inherited) if (!own.has(name) && without?.has(name) !== true) point(at);
    for (const [name, value] of variables) point(put(`${name}=${value}`));
    point(0n);

    // The child opens the files of the job; it already has the user's umask.
    const mode = modeOfFiles();
    invoke('posix_spawn_file_actions_init', actions.at);
    try {
      const open = (fd: number, path: Pointer, flags: number) =>
        invoke('posix_spawn_file_actions_addopen', actions.at, fd, path, flags, mode);
      open(0, devNull, O_RDONLY);
      open(1, stdout === undefined ? devNull : put(stdout), OPEN.replace);
      if (stderr !== undefined && stderr === stdout) invoke('posix_spawn_file_actions_adddup2', actions.at, 1, 2);
      else open(2, stderr === undefined ? devNull : put(stderr), OPEN.replace);
      return asUser(() => invoke('posix_spawn', pid.at, pathAt, actions.at, attributes.at, pointers.at, environmentAt));
    } finally {
      invoke('posix_spawn_file_actions_destroy', actions.at);
    }
  };

  const ownCpus = memory(CPU_SET_BYTES);
  const jobCpus = memory(CPU_SET_BYTES);
  const isAffinityKnown = invoke('sched_getaffinity', 0, BigInt(CPU_SET_BYTES), ownCpus.at) === 0;

  /** A process starts with the CPUs of the thread that spawns it. Binding it later would miss what it forks meanwhile. */
  const spawnBound = (request: LaunchRequest): number => {
    const { cpus } = request;
    if (cpus === undefined || !isAffinityKnown) return spawn(request);
    jobCpus.bytes.fill(0);
    for (const cpu of cpus) jobCpus.bytes[cpu >> 3] = (jobCpus.bytes[cpu >> 3] ?? 0) | (1 << (cpu & 7));
    invoke('sched_setaffinity', 0, BigInt(CPU_SET_BYTES), jobCpus.at);
    try {
      return spawn(request);
    } finally {
      invoke('sched_setaffinity', 0, BigInt(CPU_SET_BYTES), ownCpus.at);
    }
  };

  refuseIfBroken(() => {
    const code = spawn({ script: 'exit 7', variables: [], stdout: undefined, stderr: undefined });
    const started = pid.view.getInt32(0, true);
    if (code !== 0 || invoke('wait4', started, status.at, 0, usage.at) !== started) return undefined;
    return endingOf(started, status.view.getInt32(0, true), usage.view, () => true);
  });
  const running = new Set<number>();

  const reap = () => {
    const endings: ProcessEnd[] = [];
    for (const each of running) {
      if (invoke('wait4', each, status.at, WNOHANG, usage.at) !== each) continue;
      running.delete(each);
      endings.push(endingOf(each, status.view.getInt32(0, true), usage.view, isAboveOwnPeak));
    }
    if (endings.length > 0) onEnd(endings);
  };
  process.on('SIGCHLD', reap);

  return {
    name: 'posix_spawn',
    launch(request) {
      const code = spawnBound(request);
      if (code !== 0) {
        const name = getSystemErrorName(-code);
        throw new LaunchError(name, `${request.program?.words[0] ?? 'bash'} could not be started: ${name}`);
      }
      const started = pid.view.getInt32(0, true);
      running.add(started);
      return started;
    },
    close: () => {
      process.off('SIGCHLD', reap);
    },
  };
}

/** Runs a test job and waits for it: its result must be correct, otherwise the structures have another layout. */
function refuseIfBroken(tryOne: () => ProcessEnd | undefined): void {
  const ending = tryOne();
  const works =
    ending?.exitCode === 7 &&
    (ending.cpuSeconds ?? -1) >= 0 &&
    (ending.cpuSeconds ?? 10) < 10 &&
    (ending.peakBytes ?? 0) > 0;
  if (!works) throw new Error('posix_spawn does not work as expected');
}

let runnersPeakBytes = 0;

/**
 * Whether this is more than the runner's own peak. A spawned process starts with the peak of its parent, so only a
 * value above ours is its own.
 *
 * Our peak only grows, so the last value is enough for most jobs; only a job above it needs another check, which costs
 * as much as a tenth of a launch.
 */
function isAboveOwnPeak(peakBytes: number): boolean {
  if (peakBytes > runnersPeakBytes) runnersPeakBytes = process.resourceUsage().maxRSS * 1024;
  return peakBytes > runnersPeakBytes;
}

/** struct rusage begins with user and system time, two pairs of (seconds, microseconds), then the peak in KiB. */
function endingOf(pid: number, status: number, usage: DataView, isItsOwn: (peakBytes: number) => boolean): ProcessEnd {
  const time = (at: number) => Number(usage.getBigInt64(at, true)) + Number(usage.getBigInt64(at + 8, true)) / 1e6;
  const signal = status & 127;
  const peakBytes = Number(usage.getBigInt64(32, true)) * 1024;
  return {
    pid,
    exitCode: signal === 0 ? (status >> 8) & 255 : undefined,
    signal: signal === 0 ? undefined : signal,
    cpuSeconds: time(0) + time(16),
    peakBytes: isItsOwn(peakBytes) ? peakBytes : undefined,
  };
}

/** sched_setattr and sched_getattr, for which not every libc has a wrapper. */
const SCHED_CALLS: Readonly<Record<string, readonly [set: number, get: number]>> = {
  x64: [314, 315],
  arm64: [274, 275],
};
const SCHED_ATTR_BYTES = 56;
const SCHED_OTHER = 0;
const RESET_ON_FORK = 0x01n;
const SHORT_SLICE_NS = 100_000n;

/**
 * Asks the scheduler (Linux 6.12 and newer) to run this thread soon and briefly, which is all that it needs between two
 * launches; jobs do not inherit this.
 *
 * Without it a launch often waits for the whole time slice of another job while a CPU is idle: on two cores a third of
 * the runs reached 0.7 of the rate at which `xargs` launches, with it none of 14 fell below 0.85. No privilege is
 * needed; a kernel without support ignores it.
 */
function askForShortSlices(
  invoke: (name: string, ...args: (number | Pointer)[]) => number,
  { view, at }: { view: DataView; at: Pointer },
): void {
  const calls = SCHED_CALLS[process.arch];
  if (calls === undefined) return;
  const [set, get] = calls.map(BigInt) as [bigint, bigint];
  if (invoke('syscall', get, 0n, at, BigInt(SCHED_ATTR_BYTES), 0n) !== 0) return;
  // A user chose another policy, or a priority that children would lose: it stays.
  if (view.getUint32(4, true) !== SCHED_OTHER || view.getInt32(16, true) < 0) return;
  view.setBigUint64(8, view.getBigUint64(8, true) | RESET_ON_FORK, true);
  view.setBigUint64(24, SHORT_SLICE_NS, true);
  invoke('syscall', set, 0n, at, 0n, 0n);
}

/** Jobs would inherit the files that the runner inherited. */
function closeOnExec(invoke: (name: string, ...args: number[]) => number): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2) invoke('fcntl', fd, F_SETFD, FD_CLOEXEC);
  }
}
