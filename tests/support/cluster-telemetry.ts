import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope } from '../../src/core/contract/sonar/envelope.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';

interface Wanted {
  readonly cluster: string;
  /** Their first labels: c1 to cN send samples, and Slurm names one more that sends none. */
  readonly nodes: number;
  /** Unix time of the last sample, and how long before it the first one was. */
  readonly until: number;
  readonly seconds: number;
  readonly everySeconds: number;
  /** A job of Slurm on the first two nodes, for the last half of the time. */
  readonly job?: { readonly id: number; readonly user: string } | undefined;
}

const CORES = 32;
const MEMORY_KB = 256 * 2 ** 20;
const meta = { producer: 'sonar', version: '0.19.0' } as const;

/** Telemetry of a cluster with a day of its own: work comes and goes, every fourth node has GPUs, and one is drained. One envelope a line. */
export function clusterTelemetry(wanted: Wanted): string {
  return [...envelopesOf(wanted)].map((envelope) => encodeEnvelope(envelope, unchangedCompat)).join('\n');
}

function* envelopesOf({ cluster, nodes, until, seconds, everySeconds, job }: Wanted): Generator<Envelope> {
  const nameOf = (node: number) => `c${node}.${cluster}`;
  const begin = until - seconds;
  const managed = [
    { names: [`c[2-${Math.max(2, nodes)}]`], states: ['MIXED'] },
    { names: ['c1'], states: ['ALLOCATED'] },
    { names: [`c${nodes + 1}`], states: ['DOWN', 'DRAIN'] },
  ];
  yield {
    meta,
    data: {
      type: 'cluster',
      attributes: {
        time: formatTimestamp(begin),
        cluster,
        slurm: true,
        partitions: [{ name: 'normal', nodes: [`c[1-${nodes + 1}]`] }],
        nodes: managed,
      },
    },
  };
  const cardOf = (node: number) => ({ index: 0, uuid: `GPU-${node}`, model: 'NVIDIA A100', memory: 40 * 2 ** 20 });
  const hasCard = (node: number) => node % 4 === 1;
  for (let node = 1; node <= nodes; node += 1) {
    const cards = hasCard(node) ? { cards: [cardOf(node)] } : {};
    const about = {
      os_name: 'Linux',
      os_release: '6.1.0',
      architecture: 'x86_64',
      cpu_model: 'AMD EPYC 9354P',
      memory: MEMORY_KB,
    };
    const cores = { sockets: 1, cores_per_socket: CORES, threads_per_core: 1 };
    yield {
      meta,
      data: {
        type: 'sysinfo',
        attributes: { time: formatTimestamp(begin), cluster, node: nameOf(node), ...about, ...cores, ...cards },
      },
    };
    let used = 0;
    let ofJob = 0;
    for (let time = begin; time <= until; time += everySeconds) {
      const share = busyShare(node, (time - begin) / 3600);
      used += Math.round(share * everySeconds);
      const hasJob = job !== undefined && node <= 2 && time >= begin + seconds / 2;
      if (hasJob) ofJob += Math.round(share * CORES * 0.9 * everySeconds);
      const gpus = hasCard(node)
        ? { gpus: [{ index: 0, uuid: `GPU-${node}`, ce_util: Math.round(share * 90), memory: 2 ** 20 }] }
        : {};
      const train = {
        pid: 700,
        ppid: 1,
        cmd: 'python',
        cpu_time: ofJob,
        resident_memory: Math.round(MEMORY_KB * share * 0.5),
        ...(hasCard(node)
          ? { gpus: [{ index: 0, uuid: `GPU-${node}`, gpu_util: share * 90, gpu_memory: 2 ** 20 }] }
          : {}),
      };
      const load = {
        pid: 701,
        ppid: 700,
        cmd: 'load-data',
        cpu_time: Math.round(ofJob / 20),
        resident_memory: 2 ** 20,
      };
      yield {
        meta,
        data: {
          type: 'sample',
          attributes: {
            time: formatTimestamp(time),
            cluster,
            node: nameOf(node),
            system: {
              cpus: Array.from({ length: CORES }, () => used),
              used_memory: Math.round(MEMORY_KB * (0.1 + share * 0.7)),
              load1: share * CORES,
              ...gpus,
            },
            jobs: hasJob ? [{ job: job.id, user: job.user, processes: [train, load] }] : [],
          },
        },
      };
    }
  }
}

/** How busy a node is after some hours: each has a rhythm of its own, and is idle in between. */
function busyShare(node: number, hours: number): number {
  const wave = Math.sin((hours + node * 2.3) / (2.5 + (node % 5))) + Math.sin((hours * node) / 17);
  return Math.min(0.98, Math.max(0.02, 0.45 + wave * 0.35));
}
