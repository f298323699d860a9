import { beforeAll, describe, expect, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { clocksApart, fakeTimeIsMissing } from './clocks.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';
import { planOfSeed, tryKill, type Verdict, VICTIMS } from './kills.ts';

/**
 * `TORC_KILL_SEEDS=1-200 TORC_KILL_WAIT=30` tries other seeds, and another time between SIGTERM and SIGKILL. `TORC_KILL_WAY=parents`
 * tries them where Slurm finds the processes of steps by their parents and signals all of them, `TORC_KILL_WAY=clocks` where the clocks
 * of nodes are ten minutes from that of Slurm; without it some seeds are tried so.
 * As another user than root, add `--configLoader runner` where that user may not write into this folder.
 */
const chosen = process.env['TORC_KILL_SEEDS'];
const killWait = process.env['TORC_KILL_WAIT'] ?? '3';
/** Each has an allocation of at most two nodes, of which Slurm may keep one for a crash. */
const TOGETHER = 3;

interface Way {
  readonly name: string;
  /** Why it cannot be tried here. */
  readonly missing?: string | undefined;
  readonly prefix: string;
  readonly set: readonly string[];
  /** The seconds that nodes are ahead, by the last digit of their names. */
  readonly clocks?: Readonly<Record<string, number>>;
  /** Those of CI. */
  readonly seeds: readonly number[];
  /** Those that a run in part tries. */
  readonly inPart: readonly number[];
}

const range = (text: string): number[] => {
  const [first = 1, last = first] = text.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
};

const GROUPS: Way = {
  name: 'kills on a cluster',
  prefix: `k${process.pid}x`,
  set: [],
  // In part, each has another way to run jobs and another victim: two nodes and the allocation, direct and the runner, batched
  // and the launcher. Then sruns, a node and a runner of batched jobs, and a time limit. With the two ways below, every victim of
  // kills.ts dies once; the seeds 1 to 10 killed a runner four times and no node, and kept the CPUs busy for a minute.
  seeds: [4, 7, 10, 5, 18, 3, 54],
  inPart: [4, 7, 10],
};
const PARENTS: Way = {
  name: 'kills on a cluster that finds processes by their parents',
  prefix: `l${process.pid}x`,
  set: ['ProctrackType=proctrack/linuxproc', 'PrologFlags=Alloc'],
  // Of two nodes, the daemon of a step.
  seeds: [607],
  inPart: [607],
};
const CLOCKS: Way = {
  name: 'kills on a cluster of nodes with wrong clocks',
  missing: fakeTimeIsMissing,
  prefix: `m${process.pid}x`,
  set: [],
  // Of four nodes, one is right.
  clocks: { '1': -600, '5': -600, '9': -600, '2': 600, '6': 600, '0': 600, '3': -180, '7': -180 },
  // The batch step of steps, and a requeue of direct jobs.
  seeds: [822, 824],
  inPart: [824],
};
const NAMED: Readonly<Record<string, Way>> = { groups: GROUPS, parents: PARENTS, clocks: CLOCKS };
const ways = chosen === undefined ? Object.values(NAMED) : [NAMED[process.env['TORC_KILL_WAY'] ?? ''] ?? GROUPS];

it('every victim dies under the seeds of CI', () => {
  const killed = Object.values(NAMED).flatMap(({ seeds }) => seeds.map((seed) => planOfSeed(seed).victim));
  expect(VICTIMS.filter((victim) => !killed.includes(victim))).toEqual([]);
});

describe.skipIf(slurmIsMissing !== undefined).each(ways)('$name', ({ missing, prefix, set, clocks, seeds, inPart }) => {
  const left = chosen === undefined ? [...(isCi ? seeds : inPart)] : range(chosen);
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    if (missing !== undefined) return;
    const apart = clocks === undefined ? [] : [clocksApart(temporaryFolder(), clocks)];
    cluster = await startCluster({
      nodes: 4 * Math.min(TOGETHER, left.length),
      prefix,
      set: [`KillWait=${killWait}`, 'SlurmdTimeout=8', 'MessageTimeout=8', 'ReturnToService=2', ...set, ...apart],
    });
    folder = process.env['TORC_KILL_FOLDER'] ?? temporaryFolder();
    server = await startServer(folder);
  });

  it.skipIf(missing !== undefined)(
    'whichever process dies, no job is completed without its work, none is lost, and none does its work twice',
    async () => {
      const verdicts: Verdict[] = [];
      const work = async () => {
        for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
          const verdict = await tryKill({ cluster, server, folder }, seed);
          verdicts.push(verdict);
          if (chosen !== undefined) console.error(JSON.stringify(verdict));
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, work));
      expect(verdicts.filter(({ faults }) => faults.length > 0)).toEqual([]);
    },
    36_000_000,
  );
});
