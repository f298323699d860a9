import { describe, expect, it, test } from 'vitest';
import { liveProfile, parseAvailability, parseNodeKinds, parseQueueDepth } from './live-profile.ts';
import { parseLeftOnNodes, parsePartitionRules } from './partition-rules.ts';

const kind = (line: string) => parseNodeKinds(line)[0];

describe('a line of sinfo', () => {
  it('a line of sinfo is a partition with what its nodes have', () => {
    expect(kind('short*|104|246064|4:00:00|(null)|2000')).toEqual({
      name: 'short',
      isDefault: true,
      cpus: 104,
      memoryMb: 246_064,
      walltimeSeconds: 14_400,
      gpus: undefined,
      nodes: 2000,
      features: [],
    });
    expect(kind('a|1|1|1:00|(null)|3|fast,big')?.features).toEqual(['fast', 'big']);
  });

  it('a line of sinfo is passed over with fewer fields, and an odd number has a cautious value', () => {
    expect(parseNodeKinds('short|104\n\nlong|x|y|1:00|(null)|3\n')).toMatchObject([{ cpus: 1, memoryMb: 1024 }]);
  });

  test.each([
    ['1-00:00:00', 86_400],
    ['04:30:00', 16_200],
    ['30:00', 1800],
    ['45', 2700],
    ['infinite', 31_536_000],
    ['UNLIMITED', 31_536_000],
    ['x-1:y:3', 3603],
  ])('a line of sinfo with the limit %s has %i seconds', (limit, seconds) => {
    expect(kind(`p|1|1|${limit}|(null)|1`)?.walltimeSeconds).toBe(seconds);
  });

  test.each([
    ['p', 'gpu:4', { count: 4, type: null }],
    ['p', 'gpu:a100:2', { count: 2, type: 'a100' }],
    ['p', 'gpu:h100:2(S:0-3)', { count: 2, type: 'h100' }],
    ['p', 'nvme:1,gpu:4', { count: 4, type: null }],
    ['p', 'gpu:0', undefined],
    ['p', '', undefined],
    ['gpu-a100x', '(null)', { count: 4, type: 'a100' }],
    ['gpus', '', { count: 4, type: 'gpu' }],
  ])('a line of sinfo of partition %s with the resources "%s" has the GPUs %j', (name, gres, gpus) => {
    expect(kind(`${name}|1|1|1:00|${gres}|1`)?.gpus).toEqual(gpus);
  });
});

describe('the profile of a running cluster', () => {
  const kinds = parseNodeKinds(
    [
      'b*|64|256000|1-0|gpu:a100:4|2',
      'b*|32|512000|2-0|gpu:h100:2|2',
      'a|8|8000|1:00|(null)|1',
      'a-stdby|8|8000|1:00|(null)|1',
    ].join('\n'),
  );

  it('the profile of a running cluster has each partition once, sorted, with what all of its nodes have', () => {
    const profile = liveProfile({ name: 'alpha', kinds, rules: new Map(), skipsStandby: true });
    expect(profile).toMatchObject({ display_name: 'Alpha (Slurm)', charge_factor_cpu: 1, charge_factor_gpu: 10 });
    expect(profile.partitions).toMatchObject([
      { name: 'a', gpus_per_node: null, requires_explicit_request: false },
      {
        name: 'b',
        cpus_per_node: 32,
        memory_mb: 256_000,
        max_walltime_secs: 172_800,
        gpus_per_node: 2,
        gpu_type: null,
      },
    ]);
  });

  it('the profile of a running cluster knows from scontrol how many nodes a job may have, and whether it gets whole ones', () => {
    const text = 'PartitionName=a AllowGroups=ALL\n   MinNodes=1 MaxNodes=UNLIMITED OverSubscribe=FORCE:4 QoS=x';
    expect(parsePartitionRules(text)).toMatchObject({
      minNodes: 1,
      maxNodes: null,
      isShared: true,
      isExclusive: false,
    });
    expect(parsePartitionRules('MaxNodes=4 MinNodes=0 OverSubscribe=NO')).toMatchObject({
      minNodes: 0,
      maxNodes: 4,
      isShared: false,
      isExclusive: false,
    });
    expect(parsePartitionRules('OverSubscribe=EXCLUSIVE')).toMatchObject({ isShared: false, isExclusive: true });
  });

  it('the profile of a running cluster says who may use a partition, and nothing of what is open to all', () => {
    const access = (text: string) => parsePartitionRules(text).access;
    expect(
      access(
        'AllowGroups=ALL DenyAccounts=guests AllowAccounts=a,b AllowQos=high DenyQos=low QoS=N/A RootOnly=YES State=DRAIN',
      ),
    ).toEqual({
      state: 'DRAIN',
      is_root_only: true,
      allow_accounts: ['a', 'b'],
      deny_accounts: ['guests'],
      allow_qos: ['high'],
      deny_qos: ['low'],
    });
    expect(access('AllowAccounts=ALL AllowQos=ALL QoS=N/A RootOnly=NO State=UP')).toEqual({ state: 'UP' });
    expect(access('')).toEqual({});
  });

  it('the profile of a running cluster leaves out the cores and the memory that Slurm keeps, and limits of a partition', () => {
    const kinds = parseNodeKinds('a*|64|256000|1:00|(null)|2|x\nb|64|256000|1:00|(null)|1|x,y');
    const node = (more: string) => `NodeName=n CPUTot=64 ThreadsPerCore=2 RealMemory=256000 Partitions=${more}`;
    const left = parseLeftOnNodes(
      [node('a,b CoreSpecCount=2 MemSpecLimit=4000'), node('a CPUEfctv=62'), node('(null)')].join('\n'),
    );
    const rules = new Map([['b', parsePartitionRules('MaxCPUsPerNode=32 MaxMemPerNode=128000')]]);
    expect(liveProfile({ name: 'x', kinds, rules, left }).partitions).toMatchObject([
      { cpus_per_node: 60, memory_mb: 252_000, features: ['x'], total_nodes: 2 },
      { cpus_per_node: 32, memory_mb: 128_000, features: ['x', 'y'], total_nodes: 1 },
    ]);
  });

  it('the profile of a running cluster names the default partition, and knows where all nodes are given whole', () => {
    const kinds = parseNodeKinds('a*|4|4000|1:00|(null)|2\nb|4|4000|1:00|(null)|2');
    const of = (givesWholeNodes: boolean) =>
      liveProfile({ name: 'x', kinds, rules: new Map(), givesWholeNodes }).partitions;
    expect(of(false).map(({ is_default: isDefault, exclusive }) => [isDefault, exclusive])).toEqual([
      [true, false],
      [undefined, false],
    ]);
    expect(of(true).map(({ exclusive }) => exclusive)).toEqual([true, true]);
  });
});

it('nodes are counted by the begin of their state, and other states only in the total', () => {
  const text = 'short*|idle|40\nshort|idle~|5\nshort|mixed|12\nshort|allocated|180\nshort|drained*|3\nlong|planned|2\n';
  expect(Object.fromEntries(parseAvailability(text))).toEqual({
    short: { idle: 45, mixed: 12, allocated: 180, down: 3, total: 240 },
    long: { idle: 0, mixed: 0, allocated: 0, down: 0, total: 2 },
  });
  expect(parseAvailability('').size).toBe(0);
});

it('jobs that wait count with their nodes, jobs that run do not', () => {
  const text = 'short|PENDING|4\nshort|CONFIGURING|8\nshort|RUNNING|2\nshort|COMPLETING|1\n';
  expect(Object.fromEntries(parseQueueDepth(text))).toEqual({
    short: { pendingJobs: 2, pendingNodes: 12, runningJobs: 2 },
  });
});

it('a job that waits in several partitions waits in each, and not in one of their own', () => {
  const text = 'long,short|PENDING|4\nshort|RUNNING|1\n';
  expect(Object.fromEntries(parseQueueDepth(text))).toEqual({
    long: { pendingJobs: 1, pendingNodes: 4, runningJobs: 0 },
    short: { pendingJobs: 1, pendingNodes: 4, runningJobs: 1 },
  });
});

it('a banner that a program of the site prints before its lines is no partition', () => {
  const banner = '*** Welcome ***\n| a | b | c | d | e | f | g |\nsite|down|on|Monday|at|nine|\nA B|idle|3\n';
  expect(parseNodeKinds(`${banner}a*|4|4000|1:00|(null)|2|x`).map(({ name }) => name)).toEqual(['a']);
  expect([...parseAvailability(`${banner}a*|idle|2`).keys()]).toEqual(['a']);
  expect([...parseQueueDepth(`${banner}a|RUNNING|2`).keys()]).toEqual(['a']);
});
