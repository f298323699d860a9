import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism, cpus, hostname, totalmem } from 'node:os';
import { type GroupLimits, groupLimits } from './cgroup.ts';

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
}

/** This process's identity; undefined where there is no /proc. */
export function ownIdentity(): ProcessIdentity | undefined {
  try {
    return { ...thisHost(), pid: process.pid, start_ticks: startTicks(process.pid) ?? 0 };
  } catch {
    return undefined;
  }
}

/**
 * Is the process proven gone?
 *
 * `gone` only with proof: the machine was booted since, or its process table does not have it. Another namespace's
 * processes are not in our table, so of those nothing is known.
 */
export function proofOfEnd(identity: ProcessIdentity): 'gone' | 'alive' | 'unknown' {
  let here: ReturnType<typeof thisHost>;
  try {
    here = thisHost();
  } catch {
    return 'unknown';
  }
  if (here.boot_id !== identity.boot_id) return 'gone';
  if (here.pid_namespace !== identity.pid_namespace) return 'unknown';
  return startTicks(identity.pid) === identity.start_ticks ? 'alive' : 'gone';
}

function thisHost() {
  return {
    boot_id: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pid_namespace: readlinkSync('/proc/self/ns/pid'),
  };
}

function startTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // A name may hold blanks and parentheses: fields are counted from the last one. The start is the 22nd field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}
