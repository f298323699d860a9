import { readdirSync } from 'node:fs';
import { textOf } from './group-files.ts';

/** The processors and memory of a machine. */
export interface Hardware {
  readonly sockets: number;
  readonly coresPerSocket: number;
  readonly threadsPerCore: number;
  /** Empty if the kernel does not name it. */
  readonly cpuModel: string;
  readonly memoryKilobytes: number;
  /** Distances of the memory nodes; empty if unknown. */
  readonly distances: readonly (readonly number[])[];
}

/** Reads /proc/cpuinfo, /proc/meminfo and /sys. `root` is `/`, or a folder with the same layout. */
export function readHardware(root = '/'): Hardware {
  const cpuinfo = textOf(`${root}/proc/cpuinfo`) ?? '';
  const places = placesIn(`${root}/sys/devices/system/cpu`);
  return {
    ...(places.length > 0 ? shapeOf(places) : shapeOfCpuinfo(cpuinfo)),
    cpuModel: modelOf(cpuinfo),
    memoryKilobytes: Number(/^MemTotal:\s+(\d+) kB$/m.exec(textOf(`${root}/proc/meminfo`) ?? '')?.[1] ?? 0),
    distances: distancesIn(`${root}/sys/devices/system/node`),
  };
}

interface Shape {
  readonly sockets: number;
  readonly coresPerSocket: number;
  readonly threadsPerCore: number;
}

/** Where a logical CPU is. */
interface Place {
  readonly socket: string;
  readonly core: string;
}

/**
 * A CPU that is offline has no topology.
 *
 * CPUs of one core have one list of them (`core_cpus_list`, before Linux 5.3 `thread_siblings_list`). Numbers of cores are no names:
 * they begin again in each cluster of a SG2042, whose 64 cores would be 16 of four threads.
 */
function placesIn(folder: string): Place[] {
  return numbered(folder, 'cpu').flatMap((index) => {
    const read = (name: string) => textOf(`${folder}/cpu${index}/topology/${name}`)?.trim();
    const socket = read('physical_package_id');
    const core = read('core_cpus_list') ?? read('thread_siblings_list') ?? read('core_id');
    // -1 is what some ARM machines say.
    return socket === undefined || core === undefined ? [] : [{ socket: socket === '-1' ? '0' : socket, core }];
  });
}

/**
 * The format has one number for all cores and sockets: where cores differ, that of the core with most threads. Where sockets differ, they
 * are clusters of one: a big.LITTLE machine of four, three and one core would have three sockets of four.
 */
function shapeOf(places: readonly Place[]): Shape {
  const most = (numbers: readonly number[]) => numbers.reduce((left, right) => Math.max(left, right), 1);
  const sockets = [...Map.groupBy(places, ({ socket }) => socket).values()].map((inSocket) =>
    [...Map.groupBy(inSocket, ({ core }) => core).values()].map(({ length }) => length),
  );
  const threadsPerCore = most(sockets.flat());
  const counts = sockets.map(({ length }) => length);
  return new Set(counts).size === 1
    ? { sockets: counts.length, coresPerSocket: counts[0] ?? 1, threadsPerCore }
    : { sockets: 1, coresPerSocket: sockets.flat().length, threadsPerCore };
}

/** For machines without /sys. ARM says only how many processors there are. */
export function shapeOfCpuinfo(cpuinfo: string): Shape {
  const all = (name: string) =>
    [...cpuinfo.matchAll(new RegExp(`^${name}\\s*: (\\d+)$`, 'gm'))].map(([, text]) => text);
  const sockets = Math.max(1, new Set(all('physical id')).size);
  const processors = Math.max(1, all('processor').length);
  const cores = Number(all('cpu cores')[0] ?? 0);
  const siblings = Number(all('siblings')[0] ?? 0);
  if (cores > 0 && siblings >= cores)
    return { sockets, coresPerSocket: cores, threadsPerCore: Math.floor(siblings / cores) };
  return { sockets, coresPerSocket: Math.max(1, Math.floor(processors / sockets)), threadsPerCore: 1 };
}

/**
 * x86 and LoongArch have a name, POWER and MIPS one in other words, RISC-V that of its cores or its instruction set; ARM the architecture
 * and variant as numbers.
 */
export function modelOf(cpuinfo: string): string {
  const value = (name: string) => new RegExp(`^${name}\\s*: (.+)$`, 'im').exec(cpuinfo)?.[1]?.trim();
  const name = value('model name') ?? value('cpu model') ?? value('cpu') ?? value('uarch') ?? value('isa');
  if (name !== undefined) return name;
  const architecture = value('CPU architecture');
  if (architecture === undefined) return '';
  const variant = Number(value('CPU variant') ?? Number.NaN);
  return `ARMv${architecture}${Number.isNaN(variant) ? '' : `.${variant}`}`;
}

/** Row by row, for each memory node; empty unless it is square. */
function distancesIn(folder: string): number[][] {
  const rows = numbered(folder, 'node').map((index) =>
    (textOf(`${folder}/node${index}/distance`) ?? '').trim().split(/\s+/).map(Number),
  );
  const isSquare = rows.every((row) => row.length === rows.length && row.every((each) => Number.isSafeInteger(each)));
  return isSquare ? rows : [];
}

/** The numbers of the entries `cpu0`, `cpu1` …, in order. */
function numbered(folder: string, prefix: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => {
        const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
        return /^\d+$/.test(digits) ? [Number(digits)] : [];
      })
      .sort((left, right) => left - right);
  } catch {
    return [];
  }
}
