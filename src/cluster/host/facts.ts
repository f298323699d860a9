import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';

/** What this machine is and what of it may be used. */
export interface HostFacts {
  readonly hostname: string;
  /** CPUs that this process may use: affinity and control groups count. */
  readonly cpus: number;
  /** Memory that this process may use: the machine's, or less where a control group says so. */
  readonly memoryBytes: number;
  /** NVIDIA devices that the driver shows. */
  readonly gpus: number;
}

export function hostFacts(): HostFacts {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return {
    hostname: hostname(),
    cpus: availableParallelism(),
    memoryBytes: constrained > 0 && constrained < total ? constrained : total,
    gpus: nvidiaDevices('/proc/driver/nvidia/gpus'),
  };
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
