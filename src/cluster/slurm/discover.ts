import { hostname } from 'node:os';
import type { HpcProfile } from '../../core/hpc/profile.ts';
import {
  type Availability,
  liveProfile,
  parseAvailability,
  parseNodeKinds,
  parsePartitionRules,
  parseQueueDepth,
  type QueueDepth,
} from '../../core/hpc/live-profile.ts';
import { runHelper } from '../exec.ts';
import { outsideAllocation, type SlurmProgram, slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const AT_MOST_MS = 30_000;

const ask = (environment: Environment) => (program: SlurmProgram, args: readonly string[]) =>
  runHelper(slurmProgram(program, environment), args, {
    atMostMs: AT_MOST_MS,
    environment: outsideAllocation(environment),
  });

interface DiscoverOptions {
  readonly name?: string | undefined;
  readonly displayName?: string | undefined;
  readonly skipsStandby?: boolean;
}

/** The profile of the cluster of this machine. Throws `HelperFailed` where sinfo cannot be asked. */
export async function discoverProfile(
  environment: Environment,
  { name, displayName, skipsStandby = false }: DiscoverOptions = {},
): Promise<HpcProfile> {
  const run = ask(environment);
  const kinds = parseNodeKinds(await run('sinfo', ['-e', '-o', '%P|%c|%m|%l|%G|%D', '--noheader']));
  const rules = new Map();
  for (const each of new Set(kinds.map((kind) => kind.name))) {
    // Without its rules a partition still has nodes and a limit.
    const text = await run('scontrol', ['show', 'partition', each]).catch(() => '');
    rules.set(each, parsePartitionRules(text));
  }
  const config = await run('scontrol', ['show', 'config']).catch(() => '');
  const setting = (key: string) => new RegExp(`^${key}\\s*=\\s*(\\S+)`, 'm').exec(config)?.[1];
  return liveProfile({
    name: name ?? (environment['SLURM_CLUSTER_NAME'] || (setting('ClusterName') ?? hostname())),
    displayName,
    kinds,
    rules,
    givesWholeNodes: setting('SelectType') === 'select/linear',
    skipsStandby,
  });
}

/** Nodes and jobs of each partition at this moment. */
export async function clusterState(
  environment: Environment,
): Promise<{ nodes: Map<string, Availability>; queue: Map<string, QueueDepth> }> {
  const run = ask(environment);
  return {
    nodes: parseAvailability(await run('sinfo', ['-h', '-o', '%P|%T|%D'])),
    queue: parseQueueDepth(await run('squeue', ['-h', '-o', '%P|%T|%D'])),
  };
}
