import type { FailureHandler } from '../../contract/scheduling.ts';
import { STANDARD_OUTAGE_MINUTES, STANDARD_WAIT_SECONDS } from '../../contract/standard-settings.ts';
import { fieldOf, fileNames } from '../../job/fields.ts';
import { CAUSE_FIELDS } from '../../lifecycle/retry/cause-rules.ts';
import { MONITORING } from '../plan/bodies.ts';
import { isSame } from '../update/same.ts';
import type { StoredFile, StoredJob, StoredPlan, StoredUserData } from '../update/stored.ts';
import type { Json } from '../text/value.ts';
import { actionsOf, schedulersOf } from './allocations.ts';

type Fields = Record<string, unknown>;

/**
 * The workflow file of a stored workflow, as a value: each job, file and setting by itself, without parameters.
 *
 * Reading it gives the same workflow. Dependencies that follow from files and user data are not written: reading finds them again. `stored` has only what a file can say; `inFile` makes it so.
 */
export function specOfStored(stored: StoredPlan): Fields {
  const { workflow, jobs, files, userData, requirements, handlers } = stored;
  const { job_stdio_overrides: outputs, ...execution } = workflow.execution_config ?? {};
  const jobNames = new Set(jobs.map(({ name }) => name));
  const others = Object.entries(outputs ?? {}).filter(([name]) => !jobNames.has(name));
  const written = new Set(jobs.flatMap(({ output_user_data_ids: ids }) => ids ?? []));
  return given({
    name: workflow.name,
    description: workflow.description,
    project: workflow.project,
    metadata: filled(workflow.metadata),
    env: filled(workflow.env),
    limits: filled(workflow.limits),
    ...settingsOf(workflow),
    resource_monitor: monitorOf(workflow.resource_monitor_config),
    execution_config: filled({
      ...(withoutNulls(execution) as Fields),
      ...(others.length === 0 ? {} : { job_stdio_overrides: Object.fromEntries(others) }),
    }),
    slurm_defaults: filled(workflow.slurm_defaults),
    dynamic_jobs: workflow.dynamic_jobs && withoutNulls(workflow.dynamic_jobs),
    resource_requirements: some(requirements.filter(({ name }) => name !== 'default').map(requirementsEntry)),
    failure_handlers: some(handlers.map(handlerEntry)),
    ...schedulersOf(stored),
    files: some(files.map(fileEntry)),
    user_data: some(userData.map((record) => userDataEntry(record, written))),
    jobs: jobEntries(stored, outputs ?? {}),
    actions: some(actionsOf(stored)),
  });
}

/** Settings with a value of their own. */
const settingsOf = (workflow: StoredPlan['workflow']): Fields => {
  const wait = workflow.compute_node_wait_for_new_jobs_seconds;
  const outage = workflow.compute_node_wait_for_healthy_database_minutes;
  return {
    use_pending_failed: workflow.use_pending_failed || undefined,
    enable_ro_crate: workflow.enable_ro_crate || undefined,
    compute_node_wait_for_new_jobs_seconds: wait === STANDARD_WAIT_SECONDS ? undefined : (wait ?? 0),
    compute_node_ignore_workflow_completion: workflow.compute_node_ignore_workflow_completion || undefined,
    compute_node_wait_for_healthy_database_minutes: outage === STANDARD_OUTAGE_MINUTES ? undefined : outage,
  };
};

/** A file that says nothing is monitored as by default, so a workflow that is not monitored has to say so. */
function monitorOf(config: StoredPlan['workflow']['resource_monitor_config']): unknown {
  if (config === undefined || config === null) return { jobs: { enabled: false } };
  return isSame(config, MONITORING) ? undefined : withoutNulls(config);
}

const requirementsEntry = ({ id: _id, workflow_id: _of, ...record }: StoredPlan['requirements'][number]): Fields => {
  const entry = withoutNulls(record) as Fields;
  if (entry['num_gpus'] === 0) delete entry['num_gpus'];
  if (entry['num_nodes'] === 1) delete entry['num_nodes'];
  return given({ ...entry, licenses: filled(record.licenses) });
};

/** Rules by exit code, and in fields of their own what is stored in one more rule. */
function handlerEntry({ name, rules: text }: FailureHandler): Fields {
  const rules = (JSON.parse(text) as Fields[]).map((rule) => withoutNulls(rule) as Fields);
  const isOfCauses = (rule: Fields) => CAUSE_FIELDS.some((field) => Object.hasOwn(rule, field));
  return {
    name,
    rules: rules.filter((rule) => !isOfCauses(rule)),
    ...Object.assign({}, ...rules.filter(isOfCauses).toReversed()),
  };
}

const fileEntry = (file: StoredFile): Fields =>
  given({
    name: file.name,
    path: file.path,
    temporary: file.temporary || undefined,
    protected: file.protected || undefined,
  });

/** What a job writes is its result, and no part of the file. */
const userDataEntry = (
  { id, name, data, is_ephemeral: passes }: StoredUserData,
  written: ReadonlySet<number>,
): Fields =>
  given({ name, data: written.has(id) ? undefined : (data as Json | undefined), is_ephemeral: passes || undefined });

function jobEntries(stored: StoredPlan, outputs: Readonly<Record<string, unknown>>): Fields[] {
  const { workflow, jobs } = stored;
  const nameOf = (records: readonly { readonly id: number; readonly name?: string | null | undefined }[]) =>
    new Map(records.map(({ id, name }) => [id, name ?? undefined]));
  const names = {
    jobs: nameOf(jobs),
    files: nameOf(stored.files),
    userData: nameOf(stored.userData),
    requirements: nameOf(stored.requirements.filter(({ name }) => name !== 'default')),
    schedulers: nameOf(stored.schedulers),
    handlers: nameOf(stored.handlers),
  };
  const listed = (ids: readonly number[] | null | undefined, of: ReadonlyMap<number, string | undefined>) =>
    some((ids ?? []).map((id) => of.get(id)).filter((name) => name !== undefined));
  const isImplied = impliedDependencies(jobs);
  return jobs.map((job) =>
    given({
      ...definitionOf(job, workflow.env ?? {}),
      stdio: Object.hasOwn(outputs, job.name) ? outputs[job.name] : undefined,
      resource_requirements: names.requirements.get(job.resource_requirements_id ?? 0),
      failure_handler: names.handlers.get(job.failure_handler_id ?? 0),
      scheduler: names.schedulers.get(job.scheduler_id ?? 0),
      depends_on: listed(
        job.depends_on_job_ids?.filter((id) => !isImplied(job, id)),
        names.jobs,
      ),
      input_files: listed(job.input_file_ids, names.files),
      output_files: listed(job.output_file_ids, names.files),
      input_user_data: listed(job.input_user_data_ids, names.userData),
      output_user_data: listed(job.output_user_data_ids, names.userData),
    }),
  );
}

/** What the file has under the same name. A job has the variables of the workflow besides its own. */
function definitionOf(job: StoredJob, env: Readonly<Record<string, string>>): Fields {
  const fields: Fields = {};
  for (const name of fileNames) {
    const { standard, unset, isRequired } = fieldOf(name);
    const value = job[name];
    if (!isRequired && (value === null || value === standard || value === unset)) continue;
    fields[name] = value;
  }
  const own = Object.entries(job.env ?? {}).filter(([name, value]) => env[name] !== value);
  return {
    ...fields,
    env: filled(Object.fromEntries(own)),
    labels: some(job.labels ?? []),
    licenses: filled(job.licenses),
  };
}

/** Whether a job depends on another one by what it reads. */
function impliedDependencies(jobs: readonly StoredJob[]): (job: StoredJob, on: number) => boolean {
  const [makers, writers] = [new Map<number, Set<number>>(), new Map<number, Set<number>>()];
  for (const { id, output_file_ids: files, output_user_data_ids: data } of jobs) {
    for (const file of files ?? []) makers.set(file, (makers.get(file) ?? new Set()).add(id));
    for (const record of data ?? []) writers.set(record, (writers.get(record) ?? new Set()).add(id));
  }
  return ({ input_file_ids: files, input_user_data_ids: data }, on) =>
    (files ?? []).some((file) => makers.get(file)?.has(on)) || (data ?? []).some((each) => writers.get(each)?.has(on));
}

/** Without the fields that have no value, at any depth. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      each === null || each === undefined ? [] : [[key, withoutNulls(each)]],
    ),
  );
}

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

const some = <Item>(items: readonly Item[]): readonly Item[] | undefined => (items.length === 0 ? undefined : items);

const filled = (map: object | null | undefined): object | undefined =>
  map && Object.keys(map).length > 0 ? map : undefined;
