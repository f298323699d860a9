import type { Libc } from './libc.ts';

/** The kernel is built for at most 8,192 CPUs. */
const CPU_SET_BYTES = 1024;

/**
 * A function that calls another while this thread is bound to CPUs: a process starts with the CPUs of the thread that
 * spawns it. Binding it later would miss what it forks meanwhile. Undefined CPUs bind nothing.
 */
export function createBinding({ invoke, memory }: Libc) {
  const ownCpus = memory(CPU_SET_BYTES);
  const jobCpus = memory(CPU_SET_BYTES);
  const isKnown = invoke('sched_getaffinity', 0, BigInt(CPU_SET_BYTES), ownCpus.at) === 0;

  return <Made>(cpus: readonly number[] | undefined, start: () => Made): Made => {
    if (cpus === undefined || !isKnown) return start();
    jobCpus.bytes.fill(0);
    for (const cpu of cpus) jobCpus.bytes[cpu >> 3] = (jobCpus.bytes[cpu >> 3] ?? 0) | (1 << (cpu & 7));
    invoke('sched_setaffinity', 0, BigInt(CPU_SET_BYTES), jobCpus.at);
    try {
      return start();
    } finally {
      invoke('sched_setaffinity', 0, BigInt(CPU_SET_BYTES), ownCpus.at);
    }
  };
}
