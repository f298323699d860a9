import type { SpawnJob, SpawnRequest } from '../../../core/contract/spawn.ts';
import { chooseJob, workflowOption } from '../../choose/choose-record.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { jsonValue } from '../../command/json-value.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { readInput } from '../../terminal/read-input.ts';
import { option } from '../../command/option.ts';

/** Adds jobs from within a running one (an addition; Torc 1.0.0 has the route and a Python function). */
export const jobsSpawn = command('jobs spawn <file>', {
  says: 'Add jobs from within a running job; they wait for it.',
  example: 'more-jobs.json',
  kinds: { file: 'workflow file' },
  more: 'The file (- for standard input) is a JSON list of jobs, each with a name and a command, or an object with "jobs", "lineage" and "state". An empty list ends the lineage.',
  options: [
    option(
      '-j, --job-id <job>',
      'the running job that adds them, by id or name (default: TORC_JOB_ID, which is set in jobs)',
    ),
    {
      ...workflowOption,
      says: 'workflow of that job, by id or name (default: TORC_WORKFLOW_ID, which is set in jobs)',
    },
    option(
      '--lineage <name>',
      'lineage whose next generation they are (default: TORC_ORCHESTRATOR_LINEAGE_ID, then the name of the job)',
    ),
    option('--state <json>', 'state for the next generation', { read: jsonValue }),
  ],
  async run(context, [path], options) {
    const { service, output, environment } = context;
    output.recordOnly('spawned');
    const request = requestFrom(readInput(path, 'jobs'), String(path));
    const lineage = options.lineage ?? request.lineage ?? environment['TORC_ORCHESTRATOR_LINEAGE_ID'];
    // A given null means that there is no state, regardless of the file.
    const state = options.state === undefined ? request.state : options.state;
    const jobId = await callerOf(context, options);
    const { client } = await service();
    const reply = await client.spawnJobs({
      params: { id: jobId },
      body: {
        ...request,
        lineage,
        ...(state === undefined ? {} : { state: state as NonNullable<SpawnRequest['state']> }),
      },
    });
    const { spawned_job_ids: ids, iteration } = reply;
    const words =
      ids.length === 0
        ? `The lineage ends after ${counted(iteration, 'generation')}`
        : `Added ${counted(ids.length, 'job')} as generation ${iteration}: ${ids.join(', ')}`;
    output.record('spawned', reply, words);
  },
});

/** The job that adds others: the given one, or the one in which this program runs. */
async function callerOf(
  context: Context,
  { jobId, workflowId }: { readonly jobId?: string | undefined; readonly workflowId?: string | undefined },
): Promise<number> {
  const { environment } = context;
  if (jobId === undefined) return ownId(environment['TORC_JOB_ID']);
  const ownWorkflow = environment['TORC_WORKFLOW_ID'];
  return chooseJob(context, jobId, workflowId ?? (isId(jobId) ? undefined : ownWorkflow));
}

const isId = (text: string) => /^\d+$/.test(text.trim());

function ownId(text: string | undefined): number {
  if (text === undefined || text === '')
    throw new UsageError('which job adds them? Jobs have TORC_JOB_ID set; elsewhere name the job: --job-id ID');
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`TORC_JOB_ID: expected the id of a job, found "${text}"`);
  return Number(text);
}

/** The server checks the jobs themselves. */
function requestFrom(text: string, path: string): SpawnRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure(`${path} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  if (Array.isArray(value)) return { jobs: value as SpawnJob[] };
  if (typeof value === 'object' && value !== null && 'jobs' in value) return value as SpawnRequest;
  throw new Failure(`${path}: expected a list of jobs, or an object with "jobs"`);
}
