import * as z from 'zod';
import { Refusal } from '../../core/contract/refusals.ts';
import { changeRequirements } from '../../operations/resources/job-requirements.ts';
import { usedJobs } from '../../client/used-jobs.ts';
import { tool } from '../tool.ts';
import { dryRun, idParameter, jobId, memory, parameters, runtime, workflowIdParameter } from './parameters.ts';

export const checkResourceUtilization = tool('check_resource_utilization', {
  says: 'Jobs that used more memory, CPUs or time than they requested; with include_failed also what failed jobs probably lacked.',
  effect: 'reads',
  input: parameters({ workflow_id: workflowIdParameter, include_failed: z.boolean().default(false) }),
  more: 'torc workflows check-resources prints all',
  run: ({ workflow_id: workflow, include_failed: failed }, { command }) =>
    command('workflows', 'check-resources', String(workflow), ...(failed ? ['--include-failed'] : [])),
});

export const analyzeResourceUsage = tool('analyze_resource_usage', {
  says: 'What each job requested and used, by record of resource requirements: memory (also of GPUs) in bytes, CPUs in percent of one, time in seconds.',
  effect: 'reads',
  input: parameters({ workflow_id: workflowIdParameter, completed_only: z.boolean().default(true) }),
  more: 'completed_only leaves failed jobs out; list_results lists the figures of one job',
  async run({ workflow_id: workflow, completed_only: only }, { client }) {
    const jobs = await usedJobs(await client(), workflow, only ? { status: 'completed' } : {});
    const groups = Map.groupBy(jobs, ({ requirementsId }) => requirementsId);
    return {
      workflow_id: workflow,
      groups: [...groups.values()].map((group) => ({
        resource_requirements: group[0]?.requirements,
        jobs: group.map(({ id: job, name, use }) => ({
          job_id: job,
          name,
          peak_memory_bytes: use?.peakMemoryBytes,
          peak_cpu_percent: use?.peakCpuPercent,
          ...(use?.peakGpuBytes ? { peak_gpu_memory_bytes: use.peakGpuBytes, gpu_memory_bytes: use.gpuBytes } : {}),
          seconds: use?.seconds,
        })),
      })),
    };
  },
});

export const suggestResources = tool('suggest_resources', {
  says: 'New resource requirements from the measured use, as a plan: more where jobs lacked something, less where much was left. Changes nothing.',
  effect: 'reads',
  input: parameters({ workflow_id: workflowIdParameter }),
  more: 'torc workflows correct-resources --dry-run prints all',
  run: ({ workflow_id: workflow }, { command }) =>
    command('workflows', 'correct-resources', String(workflow), '--dry-run'),
});

export const updateJobResources = tool('update_job_resources', {
  says: 'Change what one job requests. A job that shares its requirements gets its own; other jobs keep theirs.',
  effect: 'sets',
  input: parameters({
    job_id: jobId,
    num_cpus: z.int().positive().optional(),
    memory: memory.optional(),
    runtime: runtime.optional(),
  }),
  more: 'get_job_details shows the job',
  async run({ job_id: job, ...fields }, { client }) {
    if (Object.keys(fields).length === 0) throw new Error('nothing to change: give num_cpus, memory or runtime');
    const server = await client();
    const needs = await changeRequirements(server, await server.getJob({ params: { id: job } }), fields);
    const after = await server.getJob({ params: { id: job } });
    return { job: after, resource_requirements: await server.getResourceRequirements({ params: { id: needs } }) };
  },
});

const group = parameters({
  memory,
  num_cpus: z.int().positive(),
  runtime,
  num_gpus: z.int().nonnegative().optional(),
  num_nodes: z.int().positive().optional(),
  name: z.string().min(1).optional(),
  job_ids: z.array(idParameter).min(1),
});

export const regroupJobResources = tool('regroup_job_resources', {
  says: 'Give groups of jobs new records of resource requirements, one for each group.',
  effect: 'adds',
  input: parameters({ workflow_id: workflowIdParameter, groups: z.array(group).min(1), dry_run: dryRun }),
  more: 'get_job_details shows a job',
  async run({ workflow_id: workflow, groups, dry_run: isDryRun }, { client }) {
    const server = await client();
    const members = await Promise.all(
      groups.flatMap(({ job_ids: ids }) => ids.map((job) => server.getJob({ params: { id: job } }))),
    );
    const foreign = members.find((job) => job.workflow_id !== workflow);
    if (foreign !== undefined)
      throw new Refusal(
        'JOB_ELSEWHERE',
        `job ${foreign.id}: belongs to workflow ${foreign.workflow_id}, not ${workflow}`,
      );
    const jobs = new Map(members.map((job) => [job.id as number, job]));
    if (jobs.size < members.length) throw new Error('a job is in two groups, or twice in one; nothing was changed');
    const made = [];
    for (const [index, { job_ids: ids, name = `group_${index + 1}`, ...needs }] of groups.entries()) {
      const record = { name, workflow_id: workflow, ...needs };
      if (isDryRun) {
        made.push({ resource_requirements: record, job_ids: ids });
        continue;
      }
      const created = await server.createResourceRequirements({ body: record });
      for (const job of ids) {
        const { name: own, command } = jobs.get(job) as { name: string; command: string };
        const body = { name: own, command, workflow_id: workflow, resource_requirements_id: created.id };
        await server.updateJob({ params: { id: job }, body });
      }
      made.push({ resource_requirements: created, job_ids: ids });
    }
    return { workflow_id: workflow, dry_run: isDryRun, groups: made };
  },
});
