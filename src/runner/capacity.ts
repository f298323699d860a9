import type { Need } from '../core/contract/exchange.ts';

/** What a job holds while it runs. `gpus` are the devices that it was given. */
export interface Lease {
  readonly need: Need;
  readonly gpus: readonly string[];
}

export interface Free {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
}

/**
 * The books of one node: what of it is free, and which devices.
 *
 * Devices are leased in turn, so that all of them are used alike. No device is given to two jobs at once as long as
 * the needs are kept within the node, which `lease` sees to.
 */
export interface Capacity {
  readonly total: Free;
  free(): Free;
  /** Takes the job in if it fits. */
  lease(need: Need): Lease | undefined;
  release(lease: Lease): void;
}

export function createCapacity(
  total: { readonly cpus: number; readonly memoryBytes: number },
  devices: readonly string[],
): Capacity {
  let cpus = total.cpus;
  let memoryBytes = total.memoryBytes;
  const idle = [...devices];
  return {
    total: { ...total, gpus: devices.length },
    free: () => ({ cpus, memoryBytes, gpus: idle.length }),
    lease(need) {
      if (need.num_nodes > 1 || need.num_cpus > cpus || need.memory_bytes > memoryBytes || need.num_gpus > idle.length)
        return undefined;
      cpus -= need.num_cpus;
      memoryBytes -= need.memory_bytes;
      return { need, gpus: idle.splice(0, Math.max(0, need.num_gpus)) };
    },
    release({ need, gpus }) {
      cpus += need.num_cpus;
      memoryBytes += need.memory_bytes;
      idle.push(...gpus);
    },
  };
}

/**
 * The books of a runner that counts jobs and ignores their needs: `slots` at once. Devices are handed round, so two jobs
 * may be given the same one when more are asked for than there are.
 */
export function createSlots(slots: number, devices: readonly string[]): Capacity {
  let free = slots;
  const ring = [...devices];
  const infinite = { memoryBytes: Infinity, gpus: Infinity };
  return {
    total: { cpus: slots, ...infinite },
    free: () => ({ cpus: free, ...infinite }),
    lease(need) {
      if (free === 0) return undefined;
      free -= 1;
      const gpus = ring.splice(0, Math.max(0, Math.min(need.num_gpus, devices.length)));
      ring.push(...gpus);
      return { need, gpus };
    },
    release() {
      free += 1;
    },
  };
}

/** Devices named by the environment of an allocation; undefined where it names none. */
export function devicesOf(environment: Readonly<Record<string, string | undefined>>): string[] | undefined {
  for (const name of ['CUDA_VISIBLE_DEVICES', 'SLURM_STEP_GPUS', 'SLURM_JOB_GPUS']) {
    const text = environment[name];
    if (text !== undefined && text.trim() !== '') return text.split(',').map((device) => device.trim());
  }
  return undefined;
}
