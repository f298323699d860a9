import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { type Cluster, controlGroupsAreMissing, slurmIsMissing, startCluster } from './cluster.ts';
import { tryKill, type Verdict } from './kills.ts';

/**
 * `TORC_KILL_SEEDS=1-200 TORC_KILL_WAIT=30` tries other seeds, and another time between SIGTERM and SIGKILL.
 * `TORC_KILL_GROUPS=yes` tries them where Slurm finds the processes of steps by control groups; without it two seeds are tried so.
 * As another user than root, add `--configLoader runner` where that user may not write into this folder.
 */
const chosen = process.env['TORC_KILL_SEEDS'];
const killWait = process.env['TORC_KILL_WAIT'] ?? '3';
const hasGroups = process.env['TORC_KILL_GROUPS'] === 'yes';
const GROUPS = [
  'ProctrackType=proctrack/cgroup',
  'PrologFlags=Contain',
  'TaskPlugin=task/cgroup',
  'JobAcctGatherType=jobacct_gather/cgroup',
  'JobAcctGatherParams=NoShared',
];
/** Each has an allocation of at most two nodes, of which Slurm may keep one for a crash. */
const TOGETHER = 3;

interface Way {
  readonly name: string;
  readonly missing: string | undefined;
  readonly prefix: string;
  readonly set: readonly string[];
  /** The first and the last seed. */
  readonly usual: string;
}

const PLAIN: Way = { name: 'kills on a cluster', missing: slurmIsMissing, prefix: 'n', set: [], usual: '1-10' };
const WITH_GROUPS: Way = {
  name: 'kills on a cluster with control groups',
  missing: controlGroupsAreMissing,
  // Groups are named after nodes, and other clusters may be on this machine.
  prefix: `k${process.pid}x`,
  set: GROUPS,
  usual: '607-608',
};
const ways = chosen === undefined ? [PLAIN, WITH_GROUPS] : [hasGroups ? WITH_GROUPS : PLAIN];

describe.each(ways)('$name', ({ missing, prefix, set, usual }) => {
  const [first = 1, last = first] = (chosen ?? usual).split('-').map(Number);
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    if (missing !== undefined) return;
    cluster = await startCluster({
      nodes: 12,
      prefix,
      set: [`KillWait=${killWait}`, 'SlurmdTimeout=8', 'MessageTimeout=8', 'ReturnToService=2', ...set],
    });
    folder = process.env['TORC_KILL_FOLDER'] ?? temporaryFolder();
    server = await startServer(folder);
  });

  it.skipIf(missing !== undefined)(
    'whichever process dies, no job is completed without its work, none is lost, and none does its work twice',
    async () => {
      const seeds = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      const verdicts: Verdict[] = [];
      const work = async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
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
