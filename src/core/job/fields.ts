import type { JobStatus } from './job-statuses.ts';

/**
 * The fields of a job, in the order of the API. From here follow its record, its columns and rows, the columns of a page of jobs, what
 * lists sort by, what a runner gets, workflow files in each format with their schema and reference, the plan, and what an update compares.
 *
 * A new field is an entry here, a migration that adds its column, and `npm run gen`: it is then stored, given back, exported, imported, compared
 * and sorted by. What it does stands where it is done.
 */

/** What the values of each kind of field are. */
export interface FieldValues {
  id: number;
  integer: number;
  text: string;
  flag: boolean;
  status: JobStatus;
  texts: string[];
  variables: Record<string, string>;
  amounts: Record<string, number>;
  ids: number[];
}

interface FieldOfJob {
  readonly kind: keyof FieldValues;
  /**
   * A `definition` is given by who creates the job, a `reference` names another record by its id, a `relation` lists others; an `identity`
   * and a `state` come from the server.
   */
  readonly role: 'identity' | 'definition' | 'reference' | 'relation' | 'state';
  /** The kind of records that it names, as an update of a plan calls them. */
  readonly names?: 'jobs' | 'files' | 'user_data' | 'resource_requirements' | 'slurm_schedulers' | 'failure_handlers';
  /** A request has to give it. */
  readonly isRequired?: true;
  /** Each job has a value; the columns of other fields may be null. */
  readonly isSet?: true;
  /** The value of a job to which none is given. */
  readonly standard?: boolean | number;
  /** The stored value that means none, in place of null. */
  readonly none?: 0;
  /** What the record of a job has in place of no value: clients of Torc 1.0.0 rely on it. */
  readonly unset?: '' | 0 | false;
  /** Not every text is a value of it: it has to be a duration above zero. */
  readonly form?: 'duration';
  /** No list sorts by it. */
  readonly isUnsorted?: true;
  /** A page of columns has it, although no workflow file defines it. */
  readonly isInColumns?: true;
  /** A runner does not get it. */
  readonly isKeptFromRunners?: true;
  /** A change makes the job run again, with what depends on it. */
  readonly reruns?: true;
  /** The word for people who are shown what an update changes, if it is not the name. */
  readonly called?: string;
  /** Workflow files have it under the same name: what it means, and a value that a person could write. */
  readonly file?: { readonly says: string; readonly example: string | number | boolean | readonly string[] | object };
}

export const jobFields = {
  id: { kind: 'id', role: 'identity', isSet: true, isInColumns: true },
  workflow_id: { kind: 'id', role: 'identity', isRequired: true, isSet: true },
  name: {
    kind: 'text',
    role: 'definition',
    isRequired: true,
    isSet: true,
    file: { says: 'Name of the job. Unique after expansion by parameters.', example: 'train_{lr}' },
  },
  command: {
    kind: 'text',
    role: 'definition',
    isRequired: true,
    isSet: true,
    reruns: true,
    file: {
      says: 'The command line; bash -c runs it in the directory in which the runner was started. Exit code 0 means success.',
      example: 'python train.py --lr {lr}',
    },
  },
  invocation_script: {
    kind: 'text',
    role: 'definition',
    unset: '',
    reruns: true,
    file: {
      says: 'A script that is put before the command: Torc runs "SCRIPT COMMAND". It sets up an environment and ends with exec "$@".',
      example: './with-conda.sh',
    },
  },
  env: {
    kind: 'variables',
    role: 'definition',
    reruns: true,
    file: {
      says: 'Environment variables of the job, in addition to those of the workflow; the same name replaces it.',
      example: { OMP_NUM_THREADS: '4' },
    },
  },
  status: { kind: 'status', role: 'state', isSet: true, isInColumns: true },
  cancel_on_blocking_job_failure: {
    kind: 'flag',
    role: 'definition',
    isSet: true,
    standard: true,
    file: {
      says: 'Cancel the job when a job that it depends on fails. With false the job runs all the same.',
      example: false,
    },
  },
  supports_termination: {
    kind: 'flag',
    role: 'definition',
    unset: false,
    file: { says: 'Accepted; has no effect.', example: true },
  },
  depends_on_job_ids: { kind: 'ids', role: 'relation', names: 'jobs', called: 'waits for' },
  input_file_ids: { kind: 'ids', role: 'relation', names: 'files', called: 'inputs' },
  output_file_ids: { kind: 'ids', role: 'relation', names: 'files', called: 'outputs' },
  input_user_data_ids: { kind: 'ids', role: 'relation', names: 'user_data', called: 'user data' },
  output_user_data_ids: { kind: 'ids', role: 'relation', names: 'user_data', called: 'user data' },
  resource_requirements_id: {
    kind: 'id',
    role: 'reference',
    names: 'resource_requirements',
    isSet: true,
    called: 'requirements',
  },
  scheduler_id: {
    kind: 'id',
    role: 'reference',
    names: 'slurm_schedulers',
    unset: 0,
    isKeptFromRunners: true,
    called: 'scheduler',
  },
  failure_handler_id: { kind: 'id', role: 'reference', names: 'failure_handlers', unset: 0, called: 'failure handler' },
  attempt_id: { kind: 'integer', role: 'state', isSet: true },
  /** addition: attempts that were lost with their runner; failure handlers do not count them. Absent if 0. */
  refunded_attempts: { kind: 'integer', role: 'state', isUnsorted: true, isSet: true, none: 0 },
  /** addition: when an update removed the job from the plan, in Unix milliseconds. It is disabled and keeps its results. */
  removed_at_ms: { kind: 'integer', role: 'state', isUnsorted: true, isInColumns: true },
  priority: {
    kind: 'integer',
    role: 'definition',
    isSet: true,
    standard: 0,
    file: {
      says: 'Of the jobs that are ready, those with the larger number start first. 0 or more.',
      example: 10,
    },
  },
  compute_node_id: { kind: 'id', role: 'state', isUnsorted: true },
  start_time: { kind: 'text', role: 'state', isUnsorted: true },
  origin: { kind: 'text', role: 'state', isUnsorted: true, isInColumns: true },
  labels: {
    kind: 'texts',
    role: 'definition',
    isUnsorted: true,
    file: {
      says: 'Only a runner that has all of these labels (torc run --label) runs the job.',
      example: ['gpu'],
    },
  },
  /** addition: the longest time that the job may run, an ISO 8601 duration. Its requested runtime is no limit. */
  timeout: {
    kind: 'text',
    role: 'definition',
    form: 'duration',
    isUnsorted: true,
    file: {
      says: 'Longest time that the job may run: then it is asked to end, and killed after sigterm_lead_seconds. An ISO 8601 duration.',
      example: 'PT2H',
    },
  },
  /** addition: what the job holds of named limits while it runs. */
  licenses: {
    kind: 'amounts',
    role: 'definition',
    isUnsorted: true,
    file: {
      says: 'What the job holds of named limits from its claim until it has ended, such as licenses of a program. The limits stand in limits of the workflow and in the configuration of the server; a name without a limit is not limited.',
      example: { matlab: 1 },
    },
  },
} as const satisfies Readonly<Record<string, FieldOfJob>>;

type Fields = typeof jobFields;
export type JobFieldName = keyof Fields;

/** The names of the fields that have a property, or this value of it. */
export type NamesWith<Property> = {
  [Name in JobFieldName]: Fields[Name] extends Property ? Name : never;
}[JobFieldName];

/** A field, with the properties that only some have. */
export const fieldOf = (name: JobFieldName): FieldOfJob => jobFields[name];

export const fieldNames = Object.keys(jobFields) as JobFieldName[];

const namesWhere = <Name extends JobFieldName>(holds: (field: FieldOfJob) => unknown): readonly Name[] =>
  fieldNames.filter((name): name is Name => Boolean(holds(fieldOf(name))));

export type DefinitionName = NamesWith<{ role: 'definition' }>;
export const definitionNames = namesWhere<DefinitionName>(({ role }) => role === 'definition');

/** Texts that are durations. */
export type DurationName = NamesWith<{ form: 'duration' }>;
export const durationNames = namesWhere<DurationName>(({ form }) => form === 'duration');

/** Whole numbers by name. */
export type AmountsName = NamesWith<{ kind: 'amounts' }>;
export const amountsNames = namesWhere<AmountsName>(({ kind }) => kind === 'amounts');

export type ReferenceName = NamesWith<{ role: 'reference' }>;
export const referenceNames = namesWhere<ReferenceName>(({ role }) => role === 'reference');

export type RelationName = NamesWith<{ role: 'relation' }>;
export const relationNames = namesWhere<RelationName>(({ role }) => role === 'relation');

/** What an update of a plan may give a job. */
export const plannedNames = namesWhere<DefinitionName | ReferenceName | RelationName>(
  ({ role }) => role === 'definition' || role === 'reference' || role === 'relation',
);

/** Every field but the relations has a column of the same name. */
export type ColumnName = Exclude<JobFieldName, RelationName>;
export const columnNames = namesWhere<ColumnName>(({ role }) => role !== 'relation');

/** What a page of columns has of the table of jobs. */
export type PageName = DefinitionName | ReferenceName | NamesWith<{ isInColumns: true }>;
export const pageNames = namesWhere<PageName>(
  ({ role, isInColumns }) => role === 'definition' || role === 'reference' || isInColumns,
);

export const sortedNames = namesWhere<Exclude<ColumnName, NamesWith<{ isUnsorted: true }>>>(
  ({ role, isUnsorted }) => role !== 'relation' && !isUnsorted,
);

/** What workflow files have under the same name. */
export type FileName = NamesWith<{ file: object }>;
export const fileNames = namesWhere<FileName>(({ file }) => file);
