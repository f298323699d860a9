import { describe, expect, it, test } from 'vitest';
import { workflowRules } from './workflow-rules.ts';
import { placeGroup, type PlaceOptions } from './place-group.ts';
import { type HpcPartition, partition } from './profile.ts';
import type { JobGroup } from './job-group.ts';

const node = { cpus_per_node: 4, memory_mb: 4000, max_walltime_secs: 3600, total_nodes: 3, state: 'UP' };
/** As the profile of a cluster has them: by name. */
const cluster = (own: Partial<HpcPartition> = {}, usual: Partial<HpcPartition> = {}) => [
  partition({ ...node, name: 'aaa', ...own }),
  partition({ ...node, name: 'main', is_default: true, ...usual }),
];
const group = (more: Partial<JobGroup> = {}): JobGroup => ({
  requirements: ['rr'],
  cpus: 1,
  memoryMb: 100,
  gpus: 0,
  nodes: 1,
  runtimeSeconds: 60,
  isDeferred: false,
  jobs: [{ name: 'j', number: 0 }],
  ...more,
});
const options = (partitions: readonly HpcPartition[], over: Partial<PlaceOptions> = {}): PlaceOptions => ({
  partitions,
  account: 'Mine',
  walltimeMultiplier: 1.5,
  ...workflowRules({}),
  ...over,
});
const placed = (partitions: readonly HpcPartition[], over: Partial<PlaceOptions> = {}, jobs = group()) =>
  placeGroup(jobs, options(partitions, over));

describe('the partition of a group on a cluster that was asked', () => {
  it('the partition of a group is the default one, and not the first by name', () => {
    expect(placed(cluster()).placed).toMatchObject({ on: { name: 'main' }, notDefault: undefined });
    expect(placed(cluster({ memory_mb: 2000, shared: true })).placed?.on.name).toBe('main');
  });

  it('the partition of a group is another one where the default one is too small, and the plan says why', () => {
    expect(placed(cluster({}, { max_walltime_secs: 120 })).placed).toMatchObject({
      on: { name: 'aaa' },
      notDefault: expect.stringMatching(/^the default one, main, has a limit of 00:02:00, and these jobs need/),
    });
    const cards = cluster({ gpus_per_node: 2 });
    expect(placed(cards, {}, group({ gpus: 1 })).placed).toMatchObject({
      on: { name: 'aaa' },
      notDefault: 'the default one, main, has nodes of 4 CPUs, 4000 MB and 0 GPUs',
    });
  });

  test.each<[string, Partial<HpcPartition>, string]>([
    ['DOWN', { state: 'DOWN' }, 'is DOWN'],
    ['for root', { is_root_only: true }, 'takes allocations of root only'],
    ['for other accounts', { allow_accounts: ['yours'] }, 'takes only the accounts yours'],
    ['denied to the account', { deny_accounts: ['mine'] }, 'does not take the account mine'],
    ['for more nodes', { min_nodes: 2 }, 'gives an allocation 2 to 3 nodes'],
  ])('a partition that is %s is passed over, and named where no other serves', (_, why, words) => {
    expect(placed(cluster({}, why)).placed).toMatchObject({
      on: { name: 'aaa' },
      notDefault: `the default one, main, ${words}`,
    });
    const none = placed(cluster(why, why));
    expect(none.placed).toBeUndefined();
    expect(none.warning).toContain(`; passed over: aaa ${words}, main ${words}`);
  });

  it('a partition for a QOS is passed over by allocations that name none, unless it takes the usual one or is the default one', () => {
    const closed = { allow_qos: ['high', 'urgent'] };
    const chosen = (own: Partial<HpcPartition>, usual: Partial<HpcPartition>) => placed(cluster(own, usual)).placed?.on;
    expect(chosen({}, { state: 'DOWN' })?.name).toBe('aaa');
    expect(placed(cluster(closed, { state: 'DOWN' }))).toMatchObject({
      placed: undefined,
      warning: expect.stringContaining('passed over: aaa takes only the QOS high, urgent, main is DOWN'),
    });
    expect(chosen({ allow_qos: ['high', 'normal'] }, { state: 'DOWN' })?.name).toBe('aaa');
    expect(chosen({}, closed)?.name).toBe('main');
  });

  it('a partition takes the account, the QOS and the features that an allocation names', () => {
    const closed = { allow_accounts: ['mine'], allow_qos: ['high', 'low'], features: ['fast', 'big'] };
    const on = (defaults: Record<string, unknown>) => placed(cluster({}, closed), { defaults }).placed?.on.name;
    expect(on({ qos: 'high', constraint: 'fast&big' })).toBe('main');
    expect(on({ qos: 'other' })).toBe('aaa');
    expect(placed(cluster({}, { features: ['fast'] }), { defaults: { constraint: 'big' } })).toMatchObject({
      placed: undefined,
      warning: expect.stringContaining('passed over: aaa has no nodes with big, main has no nodes with big'),
    });
    expect(on({ qos: 'low', constraint: 'big|none' })).toBe('main');
    // What Slurm alone can read is left to it.
    expect(on({ qos: 'low', constraint: '[rack1|rack2]' })).toBe('main');
  });

  it('a partition that the user names is used, and it is said what Slurm would have chosen, and what it does not take', () => {
    expect(placed(cluster({ state: 'DOWN' }), { forcedPartition: 'aaa' })).toMatchObject({
      placed: { on: { name: 'aaa' }, notDefault: '--partition; the default is main' },
      warning: "Partition 'aaa' is DOWN",
    });
    expect(placed(cluster(), { forcedPartition: 'main' })).toMatchObject({ placed: { notDefault: undefined } });
    expect(placed(cluster(), { forcedPartition: 'main' }).warning).toBeUndefined();
  });

  it('jobs of more nodes than the partition has are refused', () => {
    expect(placed(cluster(), {}, group({ nodes: 4 }))).toMatchObject({
      placed: undefined,
      warning: expect.stringContaining('passed over: aaa gives an allocation 1 to 3 nodes'),
    });
    expect(placed(cluster(), {}, group({ nodes: 3 })).placed?.on.name).toBe('main');
  });

  it('without a default partition the choice is that for the profiles of torc', () => {
    expect(placed(cluster({}, { is_default: false })).placed).toMatchObject({
      on: { name: 'aaa' },
      notDefault: undefined,
    });
  });
});
