import { describe, expect, it, test } from 'vitest';
import { monitorPlanOf } from './plan.ts';

const planOf = (resource_monitor_config: object | undefined, execution_config: object = {}) =>
  monitorPlanOf({ resource_monitor_config, execution_config });

describe('the monitoring configuration', () => {
  it('nothing is measured unless it is requested', () => {
    for (const config of [undefined, {}, { jobs: {}, compute_node: {} }, { jobs: { enabled: false }, enabled: true }])
      expect(planOf(config)).toMatchObject({ jobs: undefined, node: undefined, limitsMemory: false });
  });

  it('jobs and nodes are configured separately, each as summary or time series', () => {
    expect(planOf({ jobs: { enabled: true }, compute_node: { enabled: true, granularity: 'time_series' } })).toEqual({
      jobs: { isTimeSeries: false },
      node: { isTimeSeries: true, cpu: true, memory: true },
      sampleSeconds: 10,
      flushSeconds: 300,
      generatePlots: false,
      limitsMemory: true,
    });
    expect(planOf({ compute_node: { enabled: true, cpu: false } })).toMatchObject({
      jobs: undefined,
      node: { cpu: false, memory: true },
      limitsMemory: false,
    });
  });

  it('the older notation configures jobs alone', () => {
    expect(planOf({ enabled: true, granularity: 'time_series', sample_interval_seconds: 2 })).toMatchObject({
      jobs: { isTimeSeries: true },
      node: undefined,
      sampleSeconds: 2,
    });
  });
});

describe('the memory limit of jobs', () => {
  it('memory is limited unless the workflow disables it, or Slurm enforces it', () => {
    const watched = { jobs: { enabled: true } };
    expect(planOf(watched, { mode: 'direct' }).limitsMemory).toBe(true);
    expect(planOf(watched, { limit_resources: false }).limitsMemory).toBe(false);
    expect(planOf(watched, { mode: 'slurm' }).limitsMemory).toBe(false);
  });
});

test.each([
  [{ sample_interval_seconds: 0 }, 'resource_monitor.sample_interval_seconds is 0, expected 1 or more'],
  [{ flush_interval_seconds: -5 }, 'resource_monitor.flush_interval_seconds is -5, expected 1 or more'],
])('an invalid interval is refused by name: %j', (config, message) => {
  expect(() => planOf({ enabled: true, ...config })).toThrow(message);
});
