import { BATCH } from '../../../client/create-jobs.ts';
import { recordKinds, type RecordKind, recordsWithin } from '../../choose/choose-record.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';
import { fieldsText } from '../../output/fields.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { readCommands } from '../../terminal/read-input.ts';

const create = command('jobs create [workflow]', {
  says: 'Add a job to a workflow; it is uninitialized.',
  example: "1 --name extra --command 'python extra.py'",
  options: [
    option('-n, --name <name>', 'name of the job'),
    option('-c, --command <command>', 'command of the job'),
    option(
      '-r, --resource-requirements-id <requirements>',
      'resource requirements, by id or name (default: those of the workflow)',
    ),
    option('-b, --depends-on-job-ids <id-or-name...>', 'jobs that must end before it', { many: true, kind: 'job' }),
    // The name in Torc 1.0.0.
    option('--blocking-job-ids <id-or-name...>', 'the same as --depends-on-job-ids', {
      many: true,
      kind: 'job',
      isHidden: true,
    }),
    option('-i, --input-file-ids <id-or-name...>', 'input files', { many: true, kind: 'file record' }),
    option('-o, --output-file-ids <id-or-name...>', 'output files', { many: true, kind: 'file record' }),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('job');
    const { name, command: text } = options;
    if (name === undefined || text === undefined)
      throw new UsageError('a job needs a name and a command: --name NAME --command COMMAND');
    const { id, client } = await openWorkflow(context, given);
    const within = async (kind: RecordKind, ...names: (string | string[] | undefined)[]) => {
      const texts = names.flatMap((each) => each ?? []);
      return texts.length === 0 ? undefined : recordsWithin(context, kind, id, texts);
    };
    const upstream = await within(recordKinds.job, options.dependsOnJobIds, options.blockingJobIds);
    const job = await client.createJob({
      body: {
        workflow_id: id,
        name,
        command: text,
        resource_requirements_id: (await within(recordKinds.requirements, options.resourceRequirementsId))?.[0],
        depends_on_job_ids: [...new Set(upstream)],
        input_file_ids: await within(recordKinds.file, options.inputFileIds),
        output_file_ids: await within(recordKinds.file, options.outputFileIds),
      },
    });
    output.record('job', job, fieldsText(`Created job ${job.id}:`, job, ['', 0]));
  },
});

const createFromFile = command('jobs create-from-file <workflow> [file]', {
  says: 'Add a job for each line of a file; blank lines and lines that begin with # are skipped.',
  example: '1 commands.txt',
  options: [
    option('--cpus-per-job <n>', 'CPUs of each job', { default: 1, read: integerOption(1) }),
    option('--memory-per-job <memory>', 'memory of each job', { default: '1m' }),
    option('--runtime-per-job <duration>', 'runtime of each job, such as 2h, 90s or PT2H', {
      default: 'PT1M',
    }),
    option(
      '--batch [n]',
      `jobs created in each request, at most ${BATCH} (default ${BATCH}); all are created or none`,
      { read: (text: string, flag: string) => (/^\d+$/.test(text) ? integerOption(1)(text, flag) : text) },
    ),
  ],
  async run(context, [first, second], options) {
    const { output } = context;
    output.recordOnly('create-from-file');
    const { workflow, path, batch } = fromFileArguments(first, second, options.batch);
    const { addJobs } = await import('../../../operations/jobs/add-jobs.ts');
    const commands = readCommands(path);
    if (commands.length === 0) throw new Failure(`${path} has no commands; expected one a line`);
    const { id, client } = await openWorkflow(context, workflow);
    const { jobs } = await addJobs(client, id, {
      commands,
      batch,
      needs: {
        num_cpus: options.cpusPerJob,
        memory: options.memoryPerJob,
        runtime: options.runtimePerJob,
      },
    });
    const message = `Created ${counted(jobs, 'job')} in workflow ${id}`;
    output.record('create-from-file', { status: 'success', message, workflow_id: id, jobs_created: jobs }, message);
  },
});

/**
 * The workflow, the file and the batch size. `--batch` may precede an argument without a number; commander then uses
 * that argument as its number, so if an argument is missing, it is moved back.
 */
function fromFileArguments(
  first: string,
  second: string | undefined,
  given: number | string | boolean | undefined,
): { readonly workflow: string; readonly path: string; readonly batch: number } {
  if (second === undefined) {
    if (typeof given === 'number') return { workflow: String(given), path: first, batch: BATCH };
    if (typeof given === 'string') return { workflow: first, path: given, batch: BATCH };
    throw new UsageError("missing required argument 'file': the file of commands, - for standard input");
  }
  if (typeof given === 'string') throw new UsageError(`--batch: expected a whole number, found "${given}"`);
  return { workflow: first, path: second, batch: typeof given === 'number' ? Math.min(given, BATCH) : BATCH };
}

export const jobCreation: readonly Command[] = [create, createFromFile];
