import { describe, expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { allowedCpus } from '../step/direct/cpu-pool.ts';
import { type LimitOptions, limitJobs } from './limit-jobs.ts';

const job = { id: 1, need: { num_cpus: 1, memory_bytes: 2 ** 20 }, resource_requirements_id: 2 } as ClaimedJob;
const monitored = { resource_monitor_config: { jobs: { enabled: true } } };

/** What limits jobs without control groups, and the lines of the log about it. */
async function limited(options: Partial<LimitOptions>) {
  const lines: string[] = [];
  const log = {
    write: (level: string, message: string, facts = {}) =>
      void lines.push(`${level} ${message} ${JSON.stringify(facts)}`),
  };
  const found = await limitJobs({
    workflow: { ...monitored, execution_config: { limit_cpus: true } },
    memoryLimitOf: ({ need }) => need.memory_bytes,
    cpuLimitOf: ({ need }) => need.num_cpus,
    environment: { TORC_CONTROL_GROUPS: 'off' },
    allocation: undefined,
    nodes: [],
    run: { log } as unknown as LimitOptions['run'],
    ...options,
  });
  return { ...found, lines };
}

describe('limits of CPUs without control groups', () => {
  it('in an allocation that has all CPUs which the runner may use, each job is bound to CPUs of its own', async () => {
    const { cpus, lines } = await limited({ allocation: {}, nodes: [{ cpus: allowedCpus().length }] });
    expect(cpus?.take('wf1_j1_r1_a1', job)).toHaveLength(1);
    expect(lines).toContain('info CPU limits are enforced {"by":"binding","reason":"TORC_CONTROL_GROUPS is off"}');
  });

  it.each([
    ['outside of an allocation', {}],
    ['in an allocation with fewer CPUs than the runner may use', { allocation: {}, nodes: [{ cpus: 0 }] }],
  ])('%s no job is bound, because another runner would choose the same CPUs, and the log warns', async (_, options) => {
    const { cpus, lines } = await limited(options);
    expect(cpus).toBeUndefined();
    expect(lines).toContain('warn CPU limits are not enforced {"reason":"TORC_CONTROL_GROUPS is off"}');
  });
});

describe('the limits that jobs find in their variables', () => {
  it('memory is limited where it is enforced, and CPUs where the workflow asks for it', async () => {
    const of = async (workflow: LimitOptions['workflow']) => (await limited({ workflow })).limitsOf(job);
    expect(await of({ ...monitored, execution_config: { limit_cpus: true } })).toEqual({
      memoryBytes: 2 ** 20,
      cpus: 1,
    });
    expect(await of(monitored)).toEqual({ memoryBytes: 2 ** 20 });
    expect(await of({ ...monitored, execution_config: { limit_resources: false } })).toEqual({});
  });

  it('a workflow that limits nothing makes no groups, and the log says nothing', async () => {
    const { groups, lines } = await limited({ workflow: { execution_config: { limit_resources: false } } });
    expect([groups, lines]).toEqual([undefined, []]);
  });
});
