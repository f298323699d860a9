import type { AllocationRun } from '../../core/allocation/allocation-end.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { ClusterLicense } from '../../core/allocation/cluster-licenses.ts';
import { queueStateOf } from '../../core/allocation/slurm-state.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import { parseSlurmMemory } from '../../core/quantity/bytes.ts';
import type { Allocation } from '../batch/allocation.ts';
import type { EndedScript, Fate, Manner } from '../batch/batch-system.ts';
import { HelperFailed } from '../helper-failed.ts';
import type { AskSlurm } from './programs.ts';
import { exitOf, parseTime, rowsIn } from './text.ts';

/** All that is asked of scontrol, and what it prints. Every call throws `HelperFailed`. */
export interface Scontrol {
  /** The configuration, of which these functions read lines. */
  config(): Promise<string>;
  /** The line of a job. */
  job(jobId: SlurmJob, atMostMs?: number): Promise<string>;
  /** The rules of a partition. */
  partition(name: string): Promise<string>;
  /** All nodes, a line each. */
  nodes(): Promise<string>;
  /** The licenses of the cluster, a line each. */
  licenses(): Promise<string>;
  /** Lets a job or a task start that is held. */
  release(job: SlurmJob): Promise<void>;
  /** The names in a list of nodes such as `n[1-2],m3`. */
  hostnames(list: string): Promise<string[]>;
}

const SOON_MS = 20_000;

export const openScontrol = (ask: AskSlurm): Scontrol => ({
  config: () => ask('scontrol', ['show', 'config'], SOON_MS),
  job: async (jobId, atMostMs = SOON_MS) =>
    jobLine(jobId, await ask('scontrol', ['-o', 'show', 'job', String(jobId)], atMostMs)),
  partition: (name) => ask('scontrol', ['show', 'partition', name], SOON_MS),
  nodes: () => ask('scontrol', ['-o', 'show', 'node'], SOON_MS),
  licenses: () => ask('scontrol', ['-o', 'show', 'licenses'], SOON_MS),
  release: async (job) => void (await ask('scontrol', ['release', String(job)], SOON_MS)),
  async hostnames(list) {
    if (!list.includes('[')) return list === '' ? [] : list.split(',');
    const text = await ask('scontrol', ['show', 'hostnames', list], SOON_MS);
    // Lines of their own, to their ends: a banner of the site has blanks.
    const names = [...text.matchAll(/^([\w.-]+)\n/gm)].map(([, name]) => name as string);
    if (names.length === 0) throw new HelperFailed(`scontrol printed no names of nodes for ${list}`);
    return names;
  },
});

/** A setting in the configuration, such as `ClusterName`. */
export const settingIn = (config: string, name: string): string | undefined =>
  new RegExp(`^${name}\\s*=\\s*(\\S+)`, 'm').exec(config)?.[1];

/**
 * The time of day of the controller, in the first line of its configuration: `Configuration data as of 2026-11-21T16:30:00`.
 *
 * The programs compute elapsed and remaining times (`squeue %M` and `%L`, `RunTime`) with the clock of the host that they run on:
 * 10 minutes behind, `%L` said 19:57 of an allocation of 10 minutes, and 10 minutes ahead `INVALID` (22.05.8 and 26.05.3).
 */
export const parseNow = (config: string): number | undefined =>
  parseTime(/^Configuration data as of (\S+)/m.exec(config)?.[1] ?? '');

/** How long the controller has been running, by the line `BOOT_TIME = 2026-11-21T16:30:00` and its own clock. */
export function parseAgeSeconds(config: string): number | undefined {
  const [bootedAtMs, nowMs] = [parseTime(settingIn(config, 'BOOT_TIME') ?? ''), parseNow(config)];
  return bootedAtMs === undefined || nowMs === undefined ? undefined : (nowMs - bootedAtMs) / 1000;
}

/** The line `MaxArraySize = 1001`: one more than the largest number of a task. 0 means none. */
export const parseArraySize = (config: string): number =>
  Math.max(1, Number(/^\d+/.exec(settingIn(config, 'MaxArraySize') ?? '')?.[0] ?? 1));

/** The lines `KillWait = 30 sec` and `ProctrackType = proctrack/cgroup` of the configuration. */
export function parseManner(text: string): Manner {
  const seconds = /^KillWait\s*=\s*(\d+)/m.exec(text)?.[1];
  return {
    killWaitSeconds: seconds === undefined ? undefined : Number(seconds),
    isOneByOne: /^ProctrackType\s*=\s*proctrack\/(?:linuxproc|pgid)\b/m.test(text),
    // proctrack/pgid signals the process group of a step, and jobs have groups of their own.
    reachesAll: /^ProctrackType\s*=\s*proctrack\/linuxproc\b/m.test(text),
  };
}

/**
 * The line of a job in the reply of `scontrol -o show job`. One task of a job array has the id of the array, and scontrol
 * shows all tasks then.
 */
export const jobLine = (jobId: SlurmJob, text: string): string =>
  text.split('\n').find((line) => line.startsWith(`JobId=${jobId} `)) ?? text;

/** How the script of a job ended, by `scontrol show job`, which knows it for some minutes; undefined if it has not ended. */
export function scriptEndIn(text: string): EndedScript | undefined {
  const [, id, word = ''] = /^JobId=(\d+) .*?\bJobState=(\w+)/s.exec(text) ?? [];
  if (id === undefined || queueStateOf(word) !== 'ended') return undefined;
  // A path may contain blanks: it ends before the next name.
  const files = ['StdErr', 'StdOut'].flatMap(
    (name) => new RegExp(`\\b${name}=(.+?) [A-Z]\\w+=`).exec(`${text.trim()} End=`)?.[1] ?? [],
  );
  return { word, ...exitOf(/\bExitCode=(\d+:\d+)/.exec(text)?.[1]), rawId: Number(id), files };
}

/** Whether Slurm takes the nodes of a job away from it: its state, or during its grace time the time of the preemption. */
export const isPreempted = (text: string): boolean =>
  /\bJobState=(PREEMPTED|NODE_FAIL|BOOT_FAIL)\b/.test(text) || /\bPreemptTime=\d/.test(text);

/** How a job stands by `scontrol show job`. While its processes are being ended it is COMPLETING, and the reason says why. */
export function fateIn(text: string): Fate {
  if (isPreempted(text)) return 'preempted';
  const state = /\bJobState=(\w+)/.exec(text)?.[1] ?? '';
  if (queueStateOf(state) === 'unknown') return 'unknown';
  if (state === 'TIMEOUT' || /\bReason=TimeLimit\b/.test(text)) return 'limit';
  return ALIVE.has(state) ? 'alive' : 'over';
}

const ALIVE: ReadonlySet<string> = new Set(['RUNNING', 'SUSPENDED', 'STOPPED', 'RESIZING', 'SIGNALING', 'STAGE_OUT']);

/** How often Slurm has requeued a job, by `scontrol show job`: it counts when it begins to end the job. */
export const restartsIn = (text: string): number => Number(/\bRestarts=(\d+)/.exec(text)?.[1] ?? 0);

/**
 * The run of a job by `scontrol show job`, for a process of it whose variables say how often the job had been requeued.
 *
 * A job that is being ended has the times of its next run already: only the number is left then. One that runs after another
 * number of requeues is not the one of the process, and nothing is known.
 */
export function runIn(text: string, restarts: number): AllocationRun {
  if (!ALIVE.has(/\bJobState=(\w+)/.exec(text)?.[1] ?? '')) return { restarts };
  if (restartsIn(text) !== restarts) return {};
  const time = (name: string) => parseTime(new RegExp(`\\b${name}=(\\S+)`).exec(text)?.[1] ?? '');
  return { startedAtMs: time('StartTime'), submittedAtMs: time('SubmitTime'), restarts };
}

/**
 * The memory per node in the answer of `scontrol show job`: the limit per CPU or per node, or an equal share of the total.
 *
 * Source: scontrol(1): `MinMemoryCPU`, `MinMemoryNode` (0: all of the node), `TRES` or `AllocTRES`.
 */
export function parseGranted(text: string, { cpus, nodes }: Pick<Allocation, 'cpus' | 'nodes'>): number | undefined {
  const sizeOf = (pattern: RegExp) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined || !/^\d/.test(found) ? undefined : parseSlurmMemory(withUnit(found));
  };
  const perCpu = sizeOf(/\bMinMemoryCPU=(\S+)/);
  if (perCpu && cpus !== undefined) return perCpu * cpus;
  const perNode = sizeOf(/\bMinMemoryNode=(\S+)/);
  if (perNode) return perNode;
  const total = sizeOf(/\b(?:Alloc)?TRES=[^\s]*?\bmem=([^,\s]+)/);
  return total === undefined ? undefined : Math.floor(total / Math.max(1, nodes));
}

/** A number alone is MiB there. */
const withUnit = (text: string): string => (/^\d+$/.test(text) ? `${text}M` : text);

/**
 * The licenses of a cluster, by `scontrol -o show licenses`: `LicenseName=matlab Total=4 Used=2 Free=2 Reserved=0 Remote=no`. A remote one has its
 * server in its name: `ansys@srv`. Later releases print more in a line (LastConsumed, LastDeficit). Throws `HelperFailed` for another text.
 */
export const parseLicenses = (text: string): ClusterLicense[] =>
  // The answer of a cluster without licenses, and not in the form of a line.
  /^No licenses configured/m.test(text)
    ? []
    : rowsIn('scontrol', text, (line) => {
        const [, name, total, used] = /^LicenseName=(\S+) Total=(\d+) Used=(\d+) /.exec(`${line} `) ?? [];
        return name === undefined ? undefined : [{ name, total: Number(total), used: Number(used) }];
      });

/** What a job holds of them, in its line of `scontrol -o show job`: `Licenses=ansys@srv:2,matlab:1`, where no number is one. */
export function licensesOfJob(line: string): Amounts {
  const list = /(?:^|\s)Licenses=(\S+)/.exec(line)?.[1] ?? '';
  return Object.fromEntries(
    [...list.matchAll(/([^,|:()]+)(?::(\d+))?(?=[,|]|$)/g)].map(([, name, amount]) => [
      name as string,
      Number(amount ?? 1),
    ]),
  );
}
