import { describe, expect, it, onTestFinished } from 'vitest';
import { Want } from '../../core/contract/exchange.ts';
import { createCapacity, createSlots } from './capacity.ts';
import type { RunnerOptions } from '../facts/options.ts';
import { connect } from '../../client/node/connect.ts';
import { marginsOf } from '../../core/allocation/usable-time.ts';
import type { ClaimRules } from './claim-time.ts';
import { claimRequestOf } from './request.ts';

const GIBIBYTE = 2 ** 30;
const url = 'http://localhost/torc-service/v1';

const options = (over: Partial<RunnerOptions> = {}): RunnerOptions => {
  const connection = connect({ url });
  onTestFinished(() => connection.close());
  return {
    workflowId: 7,
    connection,
    apiUrl: url,
    outputDir: 'out',
    labels: ['fast'],
    pollIntervalSeconds: 1,
    claimBackoffMaxSeconds: 60,
    persistent: false,
    offline: { isEnabled: true, pingIntervalSeconds: 120 },
    variables: [],
    logLevel: 'info',
    computeNodeType: 'local',
    onNotice: () => {},
    ...over,
  };
};
const rules = (over: Partial<ClaimRules> = {}): ClaimRules => ({
  leastSeconds: 300,
  margins: marginsOf({}),
  startedAtMs: 0,
  ...over,
});
const need = { num_cpus: 3, memory_bytes: GIBIBYTE, num_gpus: 1, num_nodes: 1, runtime_seconds: 60 };
const shape = { cpus: 4, memoryBytes: 2 * GIBIBYTE, devices: ['0', '1'] };
const node = () => createCapacity([{ name: 'n1', ...shape }]);

describe('the request of a runner of a node', () => {
  it('a runner requests jobs for its free resources, and more that fit into the whole node', () => {
    const capacity = node();
    capacity.lease(need);
    expect(claimRequestOf(options(), capacity, 5, 0, rules())).toEqual({
      limit: 1,
      prefetch: 5,
      offer: { num_cpus: 1, memory_gb: 1, num_gpus: 1, num_nodes: 1, labels: ['fast'] },
      capacity: { num_cpus: 4, memory_gb: 2, num_gpus: 2 },
      strict_scheduler_match: undefined,
    });
  });

  it('a busy runner requests only jobs ahead, if it may have any', () => {
    const capacity = node();
    capacity.lease({ ...need, num_cpus: 4 });
    expect(claimRequestOf(options(), capacity, 0, 0, rules())).toBeUndefined();
    expect(claimRequestOf(options(), capacity, 1, 0, rules())).toMatchObject({
      limit: 0,
      prefetch: 1,
      offer: { num_cpus: 0 },
    });
  });

  it('a runner of several nodes requests jobs for each of them', () => {
    const capacity = createCapacity([
      { name: 'n1', ...shape },
      { name: 'n2', ...shape, cpus: 8, devices: [] },
    ]);
    capacity.lease(need);
    const small = { num_cpus: 4, memory_gb: 2, num_gpus: 2 };
    const large = { num_cpus: 8, memory_gb: 2, num_gpus: 0 };
    expect(claimRequestOf(options(), capacity, 0, 0, rules())).toMatchObject({
      limit: 9,
      offer: { num_cpus: 8, memory_gb: 2, num_gpus: 1, num_nodes: 2 },
      nodes: [
        { free: { num_cpus: 1, memory_gb: 1, num_gpus: 1 }, total: small },
        { free: large, total: large },
      ],
    });
  });

  it('a runner with a time limit requests jobs that end before it does', () => {
    expect(claimRequestOf(options({ endAtMs: 3_600_000 }), node(), 0, 0, rules())?.offer).toMatchObject({
      time_limit: 'PT1H2M',
    });
    expect(claimRequestOf(options(), node(), 0, 0, rules())?.offer).not.toHaveProperty('time_limit');
  });

  it('a runner requests nothing when a job that it took could not start', () => {
    const steps = rules({ margins: marginsOf({ mode: 'slurm' }) });
    const requested = (endAtMs: number, of = steps) => claimRequestOf(options({ endAtMs }), node(), 5, 0, of);
    expect(requested(119_000)).toBeUndefined();
    expect(requested(120_000)?.offer).toMatchObject({ time_limit: 'PT4M' });
    expect(requested(119_000, rules())?.offer).toMatchObject({ time_limit: 'PT3M59S' });
  });

  it('a runner requests jobs of its scheduler, strictly if its options say so', () => {
    const want = claimRequestOf(options({ schedulerConfigId: 9, strictSchedulerMatch: true }), node(), 0, 0, rules());
    expect(want).toMatchObject({ offer: { scheduler_config_id: 9 }, strict_scheduler_match: true });
    expect(claimRequestOf(options(), node(), 0, 0, rules())?.offer).not.toHaveProperty('scheduler_config_id');
  });
});

describe('the request of a runner that counts jobs', () => {
  it('a runner that counts jobs requests one for each free slot, and offers no resources', () => {
    const slots = createSlots(3, []);
    slots.lease(need);
    expect(
      claimRequestOf(options({ maxParallelJobs: 3, endAtMs: 300_000, schedulerConfigId: 9 }), slots, 4, 0, rules()),
    ).toEqual({
      limit: 2,
      prefetch: 4,
      labels: ['fast'],
    });
  });

  it('a runner that counts jobs requests none when less time is left than its workflow requires for new jobs', () => {
    const slots = createSlots(3, []);
    const wants = (leastSeconds: number) =>
      claimRequestOf(options({ maxParallelJobs: 3, endAtMs: 60_000 }), slots, 0, 0, rules({ leastSeconds })) !==
      undefined;
    expect([wants(61), wants(60), wants(0)]).toEqual([false, true, true]);
  });

  it('a runner that counts jobs requests none when all slots are busy', () => {
    const slots = createSlots(1, []);
    slots.lease(need);
    expect(claimRequestOf(options({ maxParallelJobs: 1 }), slots, 0, 0, rules())).toBeUndefined();
  });
});

it.each([
  ['of a node', {}, node()],
  ['that counts jobs', { maxParallelJobs: 2 }, createSlots(2, [])],
])('the request of a runner %s is valid for the server', (_, over, capacity) => {
  const want = claimRequestOf(options({ endAtMs: 600_000, ...over }), capacity, 1, 0, rules());
  expect(Want.safeParse(JSON.parse(JSON.stringify(want))).success).toBe(true);
});
