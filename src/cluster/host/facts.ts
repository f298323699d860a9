import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, hostname, totalmem } from 'node:os';
import { type GroupLimits, groupLimits } from './cgroup.ts';
import { type Machine, thisMachine } from './machine.ts';

/** This machine and the resources that may be used. */
export interface HostFacts {
  readonly hostname: string;
  /** CPUs that this process may use, according to affinity, control groups and the allocation. */
  readonly cpus: number;
  /** Memory that this process may use: that of the machine, or the limit of a control group. */
  readonly memoryBytes: number;
  /** NVIDIA devices that the driver shows. */
  readonly gpus: number;
  /** Why this process has only a part of the machine; empty if it has all of it. */
  readonly limitedBy: readonly string[];
}

/** `proc` is /proc/self, or a folder with the same layout. */
export function hostFacts(proc?: string): HostFacts {
  const whole = {
    hostname: hostname(),
    cpus: cpus().length || availableParallelism(),
    memoryBytes: totalmem(),
    gpus: nvidiaDevices('/proc/driver/nvidia/gpus'),
    limitedBy: [],
  };
  const { cpus: most, memoryBytes } = groupLimits(proc);
  // The runtime knows the affinity on other systems than Linux too, and limits that we may have overlooked.
  const allowed = proc === undefined ? Math.min(most ?? Infinity, availableParallelism()) : most;
  return limited(whole, { cpus: allowed, memoryBytes }, 'its control group or affinity');
}

/** The resources of a machine of which this process has only a part. */
export function limited(facts: HostFacts, part: GroupLimits, by: string): HostFacts {
  const cpuCount = Math.min(facts.cpus, part.cpus ?? Infinity);
  const memoryBytes = Math.min(facts.memoryBytes, part.memoryBytes ?? Infinity);
  const isLess = cpuCount < facts.cpus || memoryBytes < facts.memoryBytes;
  return { ...facts, cpus: cpuCount, memoryBytes, limitedBy: isLess ? [...facts.limitedBy, by] : facts.limitedBy };
}

/** The driver has a folder for each device. Reading it is cheaper than starting a program, and cannot hang. */
export function nvidiaDevices(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

/**
 * The permanent identity of a process. The kernel reuses process ids; together with the start time, the boot and the
 * namespace an id is unique.
 */
export interface ProcessIdentity {
  readonly boot_id: string;
  readonly pid_namespace: string;
  readonly pid: number;
  /** Clock ticks from the boot to its start. */
  readonly start_ticks: number;
  /** The machine id, which distinguishes a reboot from another machine of the same name. */
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
 * What is known about a process that may have ended.
 *
 * `gone`: the process table of the same boot and namespace does not contain it. `rebooted`: its machine was booted
 * since; its files may lack their last writes, because the page cache was lost. `unknown`: nothing is proven.
 */
export type ProofOfEnd = 'gone' | 'rebooted' | 'alive' | 'unknown';

/**
 * Whether the process, which reported itself at `reportedAtMs` (Unix), is proven gone.
 *
 * The boot id decides which process table applies. Within the same boot it is ours, except for processes of another
 * namespace: they are not in our table, so nothing is known about them.
 *
 * Another boot id means a reboot or another machine, and neither the host name nor the machine id distinguishes the
 * two: containers share names, and clones of an image share both while both run. So a reboot is accepted only with full
 * evidence: the machine ids are known and equal, a network device is the same hardware, and this boot is later than the
 * report of the process. Otherwise the result is `unknown`, and a user has to decide.
 */
export function proofOfEnd(
  identity: ProcessIdentity,
  reportedAtMs = Number.NaN,
  here: Machine | undefined = machineOrNone(),
): ProofOfEnd {
  if (here === undefined) return 'unknown';
  if (here.boot_id !== identity.boot_id) return isRebootOf(identity, reportedAtMs, here) ? 'rebooted' : 'unknown';
  if (here.pid_namespace !== identity.pid_namespace) return 'unknown';
  // Machines resumed from one snapshot share the boot id.
  const theirs = identity.machine_id ?? undefined;
  if (theirs !== undefined && here.machine_id !== undefined && theirs !== here.machine_id) return 'unknown';
  const look = lookAt(identity.pid);
  if (look === 'hidden') return 'unknown';
  if (look !== 'none' && identity.start_ticks === UNKNOWN_START) return 'unknown';
  return look === identity.start_ticks ? 'alive' : 'gone';
}

function isRebootOf({ machine_id: id, hardware_ids: hardware }: ProcessIdentity, reportedAtMs: number, here: Machine) {
  const isSameMachine =
    typeof id === 'string' &&
    id === here.machine_id &&
    (hardware ?? []).some((each) => here.hardware_ids.includes(each));
  return isSameMachine && here.bootedAtMs !== undefined && reportedAtMs < here.bootedAtMs;
}

function machineOrNone(): Machine | undefined {
  try {
    return thisMachine();
  } catch {
    return undefined;
  }
}

/** No process of a user starts together with the kernel, so 0 represents a start time that could not be read. */
const UNKNOWN_START = 0;

/**
 * The start time of the process with this id, in clock ticks since the boot; `none` if it does not exist or has ended.
 * `hidden`: there is, or may be, a process that this process cannot see: too few file descriptors, or a /proc that
 * hides the processes of other users (`hidepid`). A hidden process must never count as gone.
 */
function lookAt(pid: number): number | 'none' | 'hidden' {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return (code === 'ENOENT' || code === 'ESRCH') && !exists(pid) ? 'none' : 'hidden';
  }
  // A name may contain blanks and parentheses, so fields are counted from the last parenthesis. The start time is the
  // 22nd field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'none' : Number(fields[19]);
}

/** Signal 0 is not delivered. The kernel answers for every process, also for those that /proc does not show. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
