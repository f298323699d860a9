import type { Client } from '../../../client/client.ts';
import { BATCH } from '../../../client/create-jobs.ts';
import type { Job } from '../../../core/contract/job.ts';
import { chooseWorkflow, workflowId } from '../../choose-workflow.ts';
import type { Command } from '../../command.ts';
import { Failure, UsageError } from '../../failure.ts';
import { integer } from '../../option.ts';
import { fieldsText } from '../../output/fields.ts';
import { counted } from '../../output/words.ts';
import { readInput } from '../../read-input.ts';

const create: Command = {
  words: 'jobs create [workflow]',
  says: 'Add a job to a workflow; it is uninitialized.',
  options: [
    { flags: '-n, --name <name>', says: 'its name' },
    { flags: '-c, --command <command>', says: 'what it runs' },
    {
      flags: '-r, --resource-requirements-id <id>',
      says: 'what it needs (default the requirements of the workflow)',
      read: integer('--resource-requirements-id', 1),
    },
    {
      flags: '-b, --depends-on-job-ids <id...>',
      says: 'jobs that must end before it',
      many: true,
      read: integer('--depends-on-job-ids', 1),
    },
    {
      flags: '-i, --input-file-ids <id...>',
      says: 'files that it reads',
      many: true,
      read: integer('--input-file-ids', 1),
    },
    {
      flags: '-o, --output-file-ids <id...>',
      says: 'files that it writes',
      many: true,
      read: integer('--output-file-ids', 1),
    },
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('job');
    const { name, command } = options as { name?: string; command?: string };
    if (name === undefined || command === undefined)
      throw new UsageError('a job needs a name and a command: --name NAME --command COMMAND');
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const ids = (option: string) => options[option] as number[] | undefined;
    const job = await client.createJob({
      body: {
        workflow_id: id,
        name,
        command,
        resource_requirements_id: options['resourceRequirementsId'] as number | undefined,
        depends_on_job_ids: ids('dependsOnJobIds'),
        input_file_ids: ids('inputFileIds'),
        output_file_ids: ids('outputFileIds'),
      },
    });
    output.record('job', job, fieldsText(`Created job ${job.id}:`, job, ['', 0]));
  },
};

const createFromFile: Command = {
  words: 'jobs create-from-file <workflow> <file>',
  says: 'Add a job for each line of a file; blank lines and those that begin with # are passed over.',
  options: [
    { flags: '--cpus-per-job <n>', says: 'CPUs for each', default: 1, read: integer('--cpus-per-job', 1) },
    { flags: '--memory-per-job <memory>', says: 'memory for each', default: '1m' },
    { flags: '--runtime-per-job <duration>', says: 'time for each, ISO 8601', default: 'PT1M' },
  ],
  async run({ service, output }, [givenWorkflow, path], options) {
    output.recordOnly('create-from-file');
    const id = workflowId(givenWorkflow);
    const { commandLines } = await import('../../exec-spec.ts');
    const commands = commandLines(readInput(path as string, 'commands'));
    if (commands.length === 0) throw new Failure(`${String(path)} has no commands; expected one a line`);
    const { client } = await service();
    const { total_count: count } = await client.listJobs({ query: { workflow_id: id, limit: 1 } });
    const needs = await client.createResourceRequirements({
      body: {
        workflow_id: id,
        name: `batch_jobs_req_${Date.now()}`,
        num_cpus: options['cpusPerJob'] as number,
        num_gpus: 0,
        num_nodes: 1,
        memory: options['memoryPerJob'] as string,
        runtime: options['runtimePerJob'] as string,
      },
    });
    const jobs = commands.map((command, index): Job => ({
      workflow_id: id,
      name: `job${count + index + 1}`,
      command,
      resource_requirements_id: needs.id,
    }));
    await createAll(client, jobs, needs.id as number);
    const message = `Created ${counted(jobs.length, 'job')} in workflow ${id}`;
    output.record(
      'create-from-file',
      { status: 'success', message, workflow_id: id, jobs_created: jobs.length },
      message,
    );
  },
};

/** Creates the jobs, or none of them: what was made is taken back when a later call fails. */
async function createAll(client: Client, jobs: readonly Job[], requirementsId: number): Promise<void> {
  const created: number[] = [];
  try {
    for (let at = 0; at < jobs.length; at += BATCH) {
      const batch = { jobs: jobs.slice(at, at + BATCH) };
      const { job_ids: ids = [] } = await client.createJobs({ query: { reply: 'ids' }, body: batch });
      created.push(...ids);
    }
  } catch (error) {
    for (const id of created) await client.deleteJob({ params: { id } }).catch(() => {});
    await client.deleteResourceRequirements({ params: { id: requirementsId } }).catch(() => {});
    throw error;
  }
}

export const jobCreation: readonly Command[] = [create, createFromFile];
