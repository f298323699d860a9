import { hostname } from 'node:os';
import type { HpcProfile } from '../../hpc/profile.ts';
import { liveProfile, parseAvailability, parseNodeKinds } from '../../hpc/live-profile.ts';
import { parseLeftOnNodes, parsePartitionRules } from '../../hpc/partition-rules.ts';
import type { ClusterLoad, ProfileNames } from '../batch/batch-system.ts';
import { askSlurm } from './programs.ts';
import { openScontrol, settingIn } from './scontrol.ts';
import { openSqueue } from './squeue.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const AT_MOST_MS = 30_000;

const sinfo = (environment: Environment, args: readonly string[]) => askSlurm(environment)('sinfo', args, AT_MOST_MS);

/** The profile of the cluster of this machine. Throws `HelperFailed` where sinfo cannot be asked. */
export async function discoverProfile(
  environment: Environment,
  { name, displayName, skipsStandby = false }: ProfileNames = {},
): Promise<HpcProfile> {
  const scontrol = openScontrol(askSlurm(environment));
  const kinds = parseNodeKinds(await sinfo(environment, ['-e', '-o', '%P|%c|%m|%l|%G|%D|%f', '--noheader']));
  const rules = new Map();
  for (const each of new Set(kinds.map((kind) => kind.name))) {
    // Without its rules a partition still has nodes and a limit.
    const text = await scontrol.partition(each).catch(() => '');
    rules.set(each, parsePartitionRules(text));
  }
  const left = parseLeftOnNodes(await scontrol.nodes().catch(() => ''));
  const config = await scontrol.config().catch(() => '');
  const setting = (key: string) => settingIn(config, key);
  return liveProfile({
    name: name ?? (environment['SLURM_CLUSTER_NAME'] || (setting('ClusterName') ?? hostname())),
    displayName,
    kinds,
    rules,
    left,
    givesWholeNodes: setting('SelectType') === 'select/linear',
    skipsStandby,
  });
}

/** Nodes and jobs of each partition at this moment. */
export async function clusterLoad(environment: Environment): Promise<ClusterLoad> {
  return {
    nodes: parseAvailability(await sinfo(environment, ['-h', '-o', '%P|%T|%D'])),
    queue: await openSqueue(askSlurm(environment)).depth(),
  };
}
