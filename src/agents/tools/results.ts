import * as z from 'zod';
import { all } from '../../client/every.ts';
import { exitCodesOf } from '../../core/attempt/judge.ts';
import type { Result } from '../../core/contract/result.ts';
import { withCauses } from '../../operations/report/views/result-causes.ts';
import { ENDED_BADLY } from '../../core/job/statuses.ts';
import { tool } from '../tool.ts';
import { jobId, workflowParameters, parameters, statusParameter, workflowIdParameter } from './parameters.ts';

/** Where no limit is given: as many as fit into a reply in most cases. */
const USUAL_LIMIT = 100;

export const listResults = tool('list_results', {
  says: 'Results of job attempts: return code, why it ended, duration, memory and CPU that were measured. With run_id those of that run, else the current ones.',
  effect: 'reads',
  input: parameters({
    workflow_id: workflowIdParameter,
    job_id: jobId.optional(),
    run_id: z.int().nonnegative().optional(),
    return_code: z.int().optional(),
    failed_only: z.boolean().default(false),
    status: statusParameter.optional(),
    limit: z.int().positive().default(USUAL_LIMIT),
    sort_by: z.string().optional().describe('a field of results'),
    reverse_sort: z.boolean().optional(),
  }),
  more: 'limit, status, job_id and sort_by choose fewer',
  async run({ failed_only: failedOnly, limit, run_id: run, ...query }, { client }) {
    const server = await client();
    const ofRun = run === undefined ? {} : { run_id: run, all_runs: true };
    const { execution_config: execution } = await server.getWorkflow({ params: { id: query.workflow_id } });
    const codes = exitCodesOf(execution);
    const caused = (results: readonly Result[]) => results.map((each) => withCauses(each, codes));
    if (!failedOnly) {
      const { items, total_count: total } = await server.listResults({ query: { ...query, ...ofRun, limit } });
      return { total_count: total, results: caused(items) };
    }
    const found = await all((page) => server.listResults({ query: { ...query, ...ofRun, ...page } }));
    const failed = found.filter((each) => ENDED_BADLY.has(each.status));
    return { total_count: failed.length, results: caused(failed.slice(0, limit)) };
  },
});

export const getSlurmSacct = tool('get_slurm_sacct', {
  says: 'What the accounting of Slurm has of the allocations of a workflow and their steps. Needs sacct on this machine.',
  effect: 'reads',
  needsMachine: true,
  input: workflowParameters,
  more: 'torc slurm sacct prints all',
  run: ({ workflow_id: id }, { command }) => command('slurm', 'sacct', String(id)),
});
