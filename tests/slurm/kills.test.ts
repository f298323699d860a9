import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';
import { tryKill, type Verdict } from './kills.ts';

/**
 * `TORC_KILL_SEEDS=1-200 TORC_KILL_WAIT=30` tries more seeds, and another time between SIGTERM and SIGKILL.
 * `TORC_KILL_GROUPS=yes` has Slurm find the processes of steps by control groups.
 */
const [first = 1, last = 10] = (process.env['TORC_KILL_SEEDS'] ?? '1-10').split('-').map(Number);
const killWait = process.env['TORC_KILL_WAIT'] ?? '3';
const GROUPS = [
  'ProctrackType=proctrack/cgroup',
  'PrologFlags=Contain',
  'TaskPlugin=task/cgroup',
  'JobAcctGatherType=jobacct_gather/cgroup',
  'JobAcctGatherParams=NoShared',
];
const hasGroups = process.env['TORC_KILL_GROUPS'] === 'yes';
/** Each has an allocation of at most two nodes, of which Slurm may keep one for a crash. */
const TOGETHER = 3;

describe.skipIf(slurmIsMissing !== undefined)('kills on a cluster', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({
      nodes: 12,
      // Groups are named after nodes, and other clusters may be on this machine.
      prefix: hasGroups ? `k${process.pid}x` : 'n',
      set: [
        `KillWait=${killWait}`,
        'SlurmdTimeout=8',
        'MessageTimeout=8',
        'ReturnToService=2',
        ...(hasGroups ? GROUPS : []),
      ],
    });
    folder = process.env['TORC_KILL_FOLDER'] ?? temporaryFolder();
    server = await startServer(folder);
  }, 120_000);

  it('whichever process dies, no job is completed without its work, none is lost, and none does its work twice', async () => {
    const seeds = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const verdicts: Verdict[] = [];
    const work = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const verdict = await tryKill({ cluster, server, folder }, seed);
        verdicts.push(verdict);
        if (last > 10) console.error(JSON.stringify(verdict));
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    expect(verdicts.filter(({ faults }) => faults.length > 0)).toEqual([]);
  }, 36_000_000);
});
