import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { testService, workflowOf } from '../../../tests/support/service.ts';
import type { Result } from '../../core/contract/result.ts';
import { withFiles } from './result-files.ts';

it('a result of an allocation names it, with the paths of its output, and one of another runner does not', async () => {
  const { client, ...service } = testService();
  const { id, jobIds, nodeId } = await workflowOf({ client, ...service }, [{ name: 'a' }]);
  const { id: slurmNode } = await client.createComputeNode({
    body: {
      workflow_id: id,
      hostname: 'n1',
      pid: 7,
      start_time: '2026-03-01T12:00:00.000Z',
      num_cpus: 1,
      memory_gb: 1,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'slurm',
      scheduler: { type: 'slurm', slurm_job_id: '77', slurm_node_id: 0, slurm_task_pid: 7 },
    },
  });
  const result: Result = {
    id: 1,
    job_id: jobIds.get('a') as number,
    workflow_id: id,
    run_id: 1,
    attempt_id: 1,
    compute_node_id: slurmNode,
    return_code: 0,
    exec_time_minutes: 1,
    completion_time: '2026-03-01T12:01:00.000Z',
    status: 'completed',
  };
  const folder = temporaryFolder();
  const { items } = await withFiles(client, id, [result, { ...result, compute_node_id: nodeId }], folder);
  expect(items).toMatchObject([
    { slurm_job_id: '77', slurm_stderr: `${folder}/slurm_output_wf${id}_sl77.e` },
    { compute_node_type: 'local' },
  ]);
  expect(items[1]).not.toHaveProperty('slurm_job_id');
});
