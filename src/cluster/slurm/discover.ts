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

interface StartRequest {
  readonly account: string;
  readonly nodes: number;
  readonly walltime: string;
  readonly partition: string | undefined;
  readonly qos: string | undefined;
  readonly gres: string | undefined;
}

/** When Slurm would start such an allocation, in Unix milliseconds. Throws with its reason where it would not. */
export async function estimateStart(environment: Environment, request: StartRequest): Promise<number> {
  const args = [
    '--test-only',
    '--account',
    request.account,
    '--nodes',
    String(request.nodes),
    '--time',
    request.walltime,
  ];
  const more = (['partition', 'qos', 'gres'] as const).flatMap((key) =>
    request[key] === undefined ? [] : [`--${key}`, request[key]],
  );
  // sbatch --test-only answers on standard error, with exit code 0.
  const command = `"$0" "$@" 2>&1 || true`;
  const program = slurmProgram('sbatch', environment);
  const words = [...args, ...more, '--wrap', 'hostname'];
  const text = await runHelper('bash', ['-c', command, program, ...words], {
    atMostMs: AT_MOST_MS,
    environment: outsideAllocation(environment),
  });
  return parseStart(text);
}

/** The time in the answer of `sbatch --test-only`, in the time zone of this machine. */
export function parseStart(text: string): number {
  for (const line of text.split('\n')) {
    const time = /to start at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/.exec(line)?.[1];
    if (time !== undefined) return Date.parse(time);
    if (/error:|Unable to allocate/.test(line)) throw new Error(line.trim());
  }
  throw new Error('Could not parse sbatch --test-only output');
}
