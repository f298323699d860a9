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

/** A CPU that is offline has no topology. */
function placesIn(folder: string): Place[] {
  return numbered(folder, 'cpu').flatMap((index) => {
    const read = (name: string) => textOf(`${folder}/cpu${index}/topology/${name}`)?.trim();
    const [socket, core] = [read('physical_package_id'), read('core_id')];
    // -1 is what some ARM machines say.
    return socket === undefined || core === undefined ? [] : [{ socket: socket === '-1' ? '0' : socket, core }];
  });
}

/** All cores of a machine are taken to be alike; if they are not, the largest socket and the fullest core count. */
export function shapeOf(places: readonly Place[]): Shape {
  const sockets = [...Map.groupBy(places, ({ socket }) => socket).values()].map((inSocket) =>
    [...Map.groupBy(inSocket, ({ core }) => core).values()].map(({ length }) => length),
  );
  const most = (numbers: readonly number[]) => numbers.reduce((left, right) => Math.max(left, right), 1);
  return {
    sockets: Math.max(1, sockets.length),
    coresPerSocket: most(sockets.map(({ length }) => length)),
    threadsPerCore: most(sockets.flat()),
  };
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

/** x86 has a name; ARM the architecture and variant as numbers. */
export function modelOf(cpuinfo: string): string {
  const value = (name: string) => new RegExp(`^${name}\\s*: (.+)$`, 'm').exec(cpuinfo)?.[1]?.trim();
  const name = value('model name');
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
