import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { topicsIn } from './pages/read.ts';
import { TOPICS } from './pages/read.ts';
import { tools } from './tools/all.ts';

/** The tools of Torc 1.0.0 and their parameters. */
const OF_TORC: Readonly<Record<string, string>> = {
  create_workflow: 'spec_json user action workflow_type account hpc_profile output_path',
  get_execution_plan: 'spec_or_id',
  get_job_details: 'job_id',
  get_workflow_status: 'workflow_id',
  get_workflow_summary: 'workflow_id',
  list_failed_jobs: 'workflow_id',
  list_pending_failed_jobs: 'workflow_id',
  get_slurm_sacct: 'workflow_id',
  list_jobs_by_status: 'workflow_id status',
  list_results: 'workflow_id job_id run_id return_code failed_only status limit sort_by reverse_sort',
  get_job_logs: 'workflow_id job_id run_id attempt_id log_type tail_lines',
  analyze_workflow_logs: 'workflow_id output_dir',
  check_offline_journals: 'workflow_id run_id base_dir',
  check_resource_utilization: 'workflow_id include_failed',
  analyze_resource_usage: 'workflow_id completed_only',
  update_job_resources: 'job_id num_cpus memory runtime',
  recover_workflow: 'workflow_id dry_run memory_multiplier runtime_multiplier retry_unknown',
  classify_and_resolve_failures: 'workflow_id classifications dry_run',
  regroup_job_resources: 'workflow_id groups dry_run',
  plan_allocations: 'spec_json account partition hpc_profile skip_test_only',
  list_examples: '',
  get_example: 'name format',
  get_docs: 'topic',
};

it('every tool of Torc 1.0.0 is there with all of its parameters', () => {
  const own = new Map(tools.map(({ name, input }) => [name, Object.keys(input.shape)]));
  const missing = Object.entries(OF_TORC).flatMap(([name, words]) =>
    words.split(' ').filter((word) => word !== '' && !(own.get(name) ?? []).includes(word)),
  );
  expect(Object.keys(OF_TORC).filter((name) => !own.has(name))).toEqual([]);
  expect(missing).toEqual([]);
});

it('every topic of Torc 1.0.0 leads to a page that is there', () => {
  const there = topicsIn(resolve(import.meta.dirname, '../../docs'));
  expect(Object.keys(TOPICS).filter((topic) => !there.has(topic))).toEqual([]);
});
