import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, hostname, totalmem } from 'node:os';
import { type GroupLimits, groupLimits } from './cgroup.ts';
import { type Machine, thisMachine } from './machine.ts';

/** What this machine is and what of it may be used. */
export interface HostFacts {
  readonly hostname: string;
  /** CPUs that this process may use: affinity, control groups and the allocation count. */
  readonly cpus: number;
  /** Memory that this process may use: the machine's, or less where a control group says so. */
  readonly memoryBytes: number;
  /** NVIDIA devices that the driver shows. */
  readonly gpus: number;
  /** What keeps this process from having all of the machine; empty when it has. */
  readonly limitedBy: readonly string[];
}

/** `proc` is /proc/self, or a folder that looks like it. */
export function hostFacts(proc?: string): HostFacts {
  const whole = {
    hostname: hostname(),
    cpus: cpus().length || availableParallelism(),
    memoryBytes: totalmem(),
    gpus: nvidiaDevices('/proc/driver/nvidia/gpus'),
    limitedBy: [],
  };
  const { cpus: most, memoryBytes } = groupLimits(proc);
  // The runtime knows of affinity elsewhere than on Linux, and of what we may have overlooked here.
  const allowed = proc === undefined ? Math.min(most ?? Infinity, availableParallelism()) : most;
  return limited(whole, { cpus: allowed, memoryBytes }, 'its control group or affinity');
}

/** What is left of a machine of which this process has only a part. */
export function limited(facts: HostFacts, part: GroupLimits, by: string): HostFacts {
  const cpuCount = Math.min(facts.cpus, part.cpus ?? Infinity);
  const memoryBytes = Math.min(facts.memoryBytes, part.memoryBytes ?? Infinity);
  const isLess = cpuCount < facts.cpus || memoryBytes < facts.memoryBytes;
  return { ...facts, cpus: cpuCount, memoryBytes, limitedBy: isLess ? [...facts.limitedBy, by] : facts.limitedBy };
}

/** The driver keeps a folder for each device: cheaper to look at than a program is to start, and it cannot hang. */
export function nvidiaDevices(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

/**
 * What names one process for good. A process id is given again; together with the time of its start, the boot and the
 * namespace in which it was counted it is not.
 */
export interface ProcessIdentity {
  readonly boot_id: string;
  readonly pid_namespace: string;
  readonly pid: number;
  /** Clock ticks from the boot to its start. */
  readonly start_ticks: number;
  /** Of its machine, by which a reboot is told from another machine of the same name. */
  readonly machine_id?: string | null | undefined;
  readonly hardware_ids?: readonly string[] | null | undefined;
}

/** This process's identity; undefined where there is no /proc. */
export function ownIdentity(): ProcessIdentity | undefined {
  try {
    const { boot_id, pid_namespace, machine_id, hardware_ids } = thisMachine();
    const look = lookAt(process.pid);
    const start_ticks = typeof look === 'number' ? look : UNKNOWN_START;
    return { boot_id, pid_namespace, pid: process.pid, start_ticks, machine_id, hardware_ids };
  } catch {
    return undefined;
  }
}

/**
 * What is known of a process that may have ended.
 *
 * `gone`: the process table of the same boot and namespace does not have it. `rebooted`: its machine was booted since; what
 * its files say may lack what was written last, because the page cache was lost. `unknown`: nothing is proven.
 */
export type ProofOfEnd = 'gone' | 'rebooted' | 'alive' | 'unknown';

/**
 * Is the process, which said at `toldAtMs` (Unix) that it was there, proven gone?
 *
 * The boot id decides which process table speaks. Within the same boot it is ours, unless the process was counted in
 * another namespace: such processes are not in our table, so of those nothing is known.
 *
 * Another boot id has two explanations, a reboot and another machine, and a host name tells them apart as little as a
 * machine id does: containers share names, and clones of an image share both while both are alive. So a reboot is believed
 * only if everything says so: the machine ids are known and equal, a network device is the same piece of hardware, and this
 * boot is later than the word of the process. What fails any of these is `unknown`, and stays with a person.
 */
export function proofOfEnd(
  identity: ProcessIdentity,
  toldAtMs = Number.NaN,
  here: Machine | undefined = machineOrNone(),
): ProofOfEnd {
  if (here === undefined) return 'unknown';
  if (here.boot_id !== identity.boot_id) return isRebootOf(identity, toldAtMs, here) ? 'rebooted' : 'unknown';
  if (here.pid_namespace !== identity.pid_namespace) return 'unknown';
  // Machines that were resumed from one snapshot share the boot id.
  const theirs = identity.machine_id ?? undefined;
  if (theirs !== undefined && here.machine_id !== undefined && theirs !== here.machine_id) return 'unknown';
  const look = lookAt(identity.pid);
  if (look === 'hidden') return 'unknown';
  if (look !== 'none' && identity.start_ticks === UNKNOWN_START) return 'unknown';
  return look === identity.start_ticks ? 'alive' : 'gone';
}

function isRebootOf({ machine_id: id, hardware_ids: hardware }: ProcessIdentity, toldAtMs: number, here: Machine) {
  const isSameMachine =
    typeof id === 'string' &&
    id === here.machine_id &&
    (hardware ?? []).some((each) => here.hardware_ids.includes(each));
  return isSameMachine && here.bootedAtMs !== undefined && toldAtMs < here.bootedAtMs;
}

function machineOrNone(): Machine | undefined {
  try {
    return thisMachine();
  } catch {
    return undefined;
  }
}

/** No process that a person starts begins with the kernel: so 0 stands for a start that could not be read. */
const UNKNOWN_START = 0;

/**
 * When the process with this id began, in clock ticks from the boot; `none` when there is none or it has ended. `hidden`:
 * there is one, or there may be one, and this process cannot see it: too few open files, or a /proc that shows the
 * processes of other users to nobody (`hidepid`). What is hidden must never count as gone.
 */
function lookAt(pid: number): number | 'none' | 'hidden' {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return (code === 'ENOENT' || code === 'ESRCH') && !exists(pid) ? 'none' : 'hidden';
  }
  // A name may hold blanks and parentheses: fields are counted from the last one. The start is the 22nd field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'none' : Number(fields[19]);
}

/** Signal 0 is sent to nobody. The kernel answers for every process, also for those that /proc does not show. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
