import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../core/contract/workflow.ts';
import { workRules } from './work-rules.ts';

const options = {
  offline: { isEnabled: true, pingIntervalSeconds: 30 },
  pollIntervalSeconds: 10,
  claimBackoffMaxSeconds: 60,
  computeNodeType: 'slurm',
  persistent: false,
} as const;
const workflow: Workflow = { id: 1, name: 'w', user: 'u' };

describe('the rules of a runner', () => {
  it('a workflow that says nothing gets the standard rules', () => {
    expect(workRules(options, workflow, { execution: {} })).toMatchObject({
      signal: 'SIGTERM',
      leastSeconds: 300,
      staysWhenComplete: false,
      patienceMs: 20 * 60_000,
      idleMs: 0,
    });
  });

  it('a server counts as away after 10 s without a reply, or sooner if the runner asks more often', () => {
    expect(workRules(options, workflow, { execution: {} }).silentMs).toBe(10_000);
    const often = { ...options, offline: { ...options.offline, pingIntervalSeconds: 2 } };
    expect(workRules(often, workflow, { execution: {} })).toMatchObject({ pingMs: 2_000, silentMs: 2_000 });
  });

  it('a runner with an option for how long to wait for a server that is away waits so long, whatever the workflow says', () => {
    const own: Workflow = { ...workflow, compute_node_wait_for_healthy_database_minutes: 5 };
    expect(workRules(options, own, { execution: {} }).patienceMs).toBe(5 * 60_000);
    expect(workRules({ ...options, outageMinutes: 0.5 }, own, { execution: {} }).patienceMs).toBe(30_000);
  });

  it('what the workflow says is kept, a minimum of 0 seconds too', () => {
    const own: Workflow = {
      ...workflow,
      compute_node_min_time_for_new_jobs_seconds: 0,
      compute_node_wait_for_new_jobs_seconds: 5,
      compute_node_ignore_workflow_completion: true,
    };
    expect(workRules(options, own, { execution: { termination_signal: 'SIGINT' } })).toMatchObject({
      signal: 'SIGINT',
      leastSeconds: 0,
      idleMs: 5_000,
      staysWhenComplete: true,
    });
  });

  it('a runner in an allocation asks after ten seconds without a job whether any is left, where the workflow has the usual idle time', () => {
    const usual = { ...workflow, compute_node_wait_for_new_jobs_seconds: 90 };
    expect(workRules(options, usual, { execution: {} })).toMatchObject({ idleMs: 90_000, noWorkMs: 10_000 });
  });

  it.each<[string, Partial<typeof options> | { computeNodeType: 'local' } | { persistent: true }, Partial<Workflow>]>([
    ['has to stay while jobs are left', { persistent: true }, {}],
    ['is not in an allocation', { computeNodeType: 'local' }, {}],
    ['has an idle time of its own', {}, { compute_node_wait_for_new_jobs_seconds: 300 }],
    ['never leaves', {}, { compute_node_wait_for_new_jobs_seconds: 0 }],
    ['stays when its workflow is complete', {}, { compute_node_ignore_workflow_completion: true }],
  ])('a runner that %s does not leave early', (_, change, own) => {
    const usual = { ...workflow, compute_node_wait_for_new_jobs_seconds: 90, ...own };
    expect(workRules({ ...options, ...change }, usual, { execution: {} }).noWorkMs).toBeUndefined();
  });
});
