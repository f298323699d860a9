import { type FileName, fileNames, fieldOf, jobFields } from '../../job/fields.ts';
import {
  any,
  booleanShape,
  choiceShape,
  type Field,
  integerShape,
  list,
  map,
  may,
  must,
  object,
  orText,
  type Read,
  type Shape,
  stringShape,
} from './shape.ts';
import { surroundings } from './surroundings.ts';

export const stdio = object('StdioConfig', {
  mode: may(
    choiceShape(['separate', 'combined', 'no_stdout', 'no_stderr', 'none']),
    'Which output files Torc writes for a job: separate writes .o (stdout) and .e (stderr), combined writes both to one ' +
      '.log, no_stdout and no_stderr write only the other one, none writes nothing.',
    { standard: 'separate', example: 'combined' },
  ),
  delete_on_success: may(booleanShape, 'Delete the output files of a job that completes with exit code 0.', {
    standard: false,
    example: true,
  }),
});

/** The fields with which jobs, files and user data are expanded into many. */
export const expansion = {
  parameters: may(
    map(any),
    'Makes one record for each value or combination of values. Each value is a range "1:10" or "0:1:0.1", a list ' +
      '[a, b], a file "@values.txt" with one value per line, or a single value. {name} stands for the value.',
    { example: { lr: '[0.1, 0.01]', seed: '1:5' } },
  ),
  parameter_mode: may(
    stringShape,
    'How several parameters combine: product makes every combination; zip takes the first values together, then the ' +
      'second values, and needs lists of the same length.',
    { standard: 'product', example: 'zip' },
  ),
  use_parameters: may(list(stringShape), 'Names of parameters of the workflow by which to expand.', {
    example: ['lr', 'seed'],
  }),
  parameters_file: may(
    stringShape,
    'A table (.csv, .json or .jsonl): one record per row, and {column} stands for the value in that column. The path is ' +
      'relative to the directory in which you run torc.',
    { example: 'runs.csv' },
  ),
  use_parameters_file: may(booleanShape, 'Expand by the parameters_file of the workflow.', {
    standard: false,
    example: true,
  }),
};

/** What a job that completed leaves of a file that it made. */
export const fate = {
  temporary: may(
    booleanShape,
    'Addition: deleted when all jobs that read the file have completed. Only what a job made, and what is as it left it, is deleted.',
    { standard: false, example: true },
  ),
  protected: may(
    booleanShape,
    'Addition: read-only as soon as the job that makes the file has completed; a later attempt of this job may write it.',
    { standard: false, example: true },
  ),
};

const pathFields = {
  path: must(stringShape, 'Path of the file, absolute or relative to the directory in which the runner was started.', {
    example: 'raw/{sample}.fastq',
  }),
  name: may(stringShape, 'Name of the path in the commands of this job: `${input.NAME}` or `${output.NAME}`.', {
    example: 'reads',
  }),
};

/** A file of a job by its path; a text is the path. */
export const pathOfJob = orText(object('PathSpec', pathFields), 'path');

const outputOfJob = orText(object('OutputSpec', { ...pathFields, ...fate }), 'path');

const shapes = {
  text: stringShape,
  integer: integerShape,
  flag: booleanShape,
  texts: list(stringShape),
  variables: map(stringShape),
  amounts: map(integerShape),
};

type OwnFields = {
  [Name in FileName]: Field<
    Read<(typeof shapes)[(typeof jobFields)[Name]['kind']]>,
    (typeof jobFields)[Name] extends { isRequired: true } ? true : false
  >;
};

/** What the file and the record of a job have under the same name. */
const own = Object.fromEntries(
  fileNames.map((name) => {
    const { kind, file } = jobFields[name];
    const { standard, isRequired } = fieldOf(name);
    const shape: Shape<unknown> = shapes[kind];
    const about = { example: file.example, ...(standard === undefined ? {} : { standard }) };
    return [name, isRequired ? must(shape, file.says, about) : may(shape, file.says, about)];
  }),
) as OwnFields;

const {
  name,
  command,
  invocation_script,
  env,
  priority,
  cancel_on_blocking_job_failure,
  supports_termination,
  ...others
} = own;

/** The schema and the reference show the fields in this order. */
export const job = object('JobSpec', {
  name,
  command,
  invocation_script,
  ...surroundings,
  env,
  priority,
  resource_requirements: may(
    stringShape,
    'Name of an entry of resource_requirements: what the job needs. Without it: 1 CPU, 1m of memory, a runtime of PT1M.',
    { example: 'small' },
  ),
  failure_handler: may(stringShape, 'Name of an entry of failure_handlers: what to do when the job fails.', {
    example: 'retry_twice',
  }),
  scheduler: may(
    stringShape,
    'Name of an entry of slurm_schedulers or pbs_schedulers: the allocations that the job is for.',
    {
      example: 'gpu_nodes',
    },
  ),
  cancel_on_blocking_job_failure,
  supports_termination,
  depends_on: may(list(stringShape), 'Names of jobs that must end before this one starts.', { example: ['prepare'] }),
  depends_on_regexes: may(
    list(stringShape),
    'Regular expressions; the job depends on every job whose name matches one.',
    {
      example: ['^train_'],
    },
  ),
  inputs: may(
    list(pathOfJob),
    'Addition: paths of files that the job reads; no entry of files is needed. It depends on the jobs that write them.',
    { example: ['raw/{sample}.fastq'] },
  ),
  outputs: may(list(outputOfJob), 'Addition: paths of files that the job writes, as output_files has their names.', {
    example: ['bam/{sample}.bam'],
  }),
  input_files: may(
    list(stringShape),
    'Names of entries of files (names, not paths) that the job reads. It depends on the jobs that write them.',
    { example: ['raw'] },
  ),
  output_files: may(
    list(stringShape),
    'Names of entries of files that the job writes. A job that exits with 0 has failed if one of them is not there; see stale_outputs for one that it did not touch.',
    { example: ['model_{lr}'] },
  ),
  input_file_regexes: may(list(stringShape), 'Regular expressions over the names of the files that the job reads.', {
    example: ['^model_'],
  }),
  output_file_regexes: may(list(stringShape), 'Regular expressions over the names of the files that the job writes.', {
    example: ['^plot_'],
  }),
  input_user_data: may(
    list(stringShape),
    'Names of entries of user_data that the job reads. It depends on the jobs that write them.',
    { example: ['settings'] },
  ),
  output_user_data: may(list(stringShape), 'Names of entries of user_data that the job writes.', {
    example: ['score'],
  }),
  input_user_data_regexes: may(
    list(stringShape),
    'Regular expressions over the names of the user data that the job reads.',
    {
      example: ['^score_'],
    },
  ),
  output_user_data_regexes: may(
    list(stringShape),
    'Regular expressions over the names of the user data that the job writes.',
    { example: ['^score_'] },
  ),
  ...expansion,
  max_running: may(
    integerShape,
    'Addition: the largest number of jobs of this entry that may run at a time, on all runners together; 1 or more.',
    { example: 6 },
  ),
  stdio: may(stdio, 'Output files of this job; replaces execution_config.stdio.'),
  ...others,
});
