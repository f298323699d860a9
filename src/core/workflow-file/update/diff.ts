import type { Job, NewJob } from '../../contract/job.ts';
import type { PlanUpdate } from '../../contract/plan-update.ts';
import { actionBody, type Ids, jobBody, workflowBody } from '../plan/bodies.ts';
import type { Plan } from '../plan/plan.ts';
import { matchActions } from './actions.ts';
import type { JobDifference, PlanDifference } from './difference.ts';
import { type Comparison, jobChange } from './jobs.ts';
import { type MatchedPlan, matchPlan } from './match.ts';
import { settingChanges } from './settings.ts';
import { isRemoved, isSpawned, type StoredPlan } from './stored.ts';

/**
 * What turns a workflow into the one that the plan would create: jobs, files, user data, requirements, handlers and
 * schedulers are matched by name.
 *
 * Jobs that other jobs have added are in no file, and stay. Applied, the update leaves no difference.
 */
export function diffPlan(plan: Plan, stored: StoredPlan): PlanDifference {
  const writers = writersOf(plan);
  const matched = matchPlan(plan, stored, new Set(writers.userData.keys()));
  // Where the file has none, a submission has generated them, with the actions that use them.
  const hasSchedulers = plan.slurmSchedulers.length > 0;
  const settings = settingChanges(
    stored.workflow,
    workflowBody(plan, { user: '', submissionDirectory: '', monitorsJobs: false }),
  );
  const byName = new Map<string, Job>();
  // A job of the file replaces one of the same name that was removed before.
  for (const job of stored.jobs) if (isRemoved(job)) byName.set(job.name, job);
  for (const job of stored.jobs) if (!isRemoved(job) && !isSpawned(job)) byName.set(job.name, job);
  const ids = new Float64Array(plan.jobs.length);
  let added = 0;
  for (let number = 0; number < ids.length; number += 1) {
    const had = byName.get(plan.jobName(number));
    if (had === undefined) added += 1;
    ids[number] = had?.id ?? -added;
  }

  const storedJobs = new Map(stored.jobs.map((job) => [job.id, job]));
  // From then on what jobs read and write is among their dependencies.
  const isInitialized = stored.jobs.some(({ status }) => status !== 'uninitialized' && status !== 'disabled');
  const comparison = comparisonOf(plan, stored, matched, ids);
  const add: NewJob[] = [];
  const change: NonNullable<NonNullable<PlanUpdate['jobs']>['change']> = [];
  const differences: JobDifference[] = [];
  const kept = new Set<number>();
  const usedNeeds = new Set<number>();
  let unchanged = 0;
  for (let number = 0; number < ids.length; number += 1) {
    const job = plan.jobs.at(number);
    const upstream = [...upstreamOf(job, number, writers)].map((each) => ids[each] as number);
    const { workflow_id: _of, ...body } = jobBody(job, 0, matched.refs, upstream);
    const had = storedJobs.get(ids[number] as number);
    const scheduler = hasSchedulers ? body.scheduler_id : had?.scheduler_id;
    const wanted = { ...body, scheduler_id: scheduler, env: { ...plan.workflow.env, ...body.env } };
    if (had === undefined) {
      add.push(wanted as NewJob);
      differences.push({ kind: 'added', name: job.name, reruns: true, changes: [] });
      continue;
    }
    kept.add(had.id);
    const explicit = isInitialized ? upstream : Array.from(job.dependsOn, (each) => ids[each] as number);
    const found = jobChange(had, { wanted, needs: explicit }, comparison, isRemoved(had));
    usedNeeds.add(found?.update.resource_requirements_id ?? had.resource_requirements_id ?? 0);
    if (found === undefined) {
      unchanged += 1;
      continue;
    }
    change.push(found.update);
    const kind = isRemoved(had) ? 'added' : 'changed';
    differences.push({ kind, id: had.id, name: job.name, reruns: found.reruns, changes: found.changes });
  }
  const removed = stored.jobs.filter((job) => !kept.has(job.id) && !isSpawned(job) && !isRemoved(job));
  for (const { id, name } of removed) differences.push({ kind: 'removed', id, name, reruns: false, changes: [] });

  for (const job of stored.jobs) if (isSpawned(job) || isRemoved(job)) usedNeeds.add(job.resource_requirements_id ?? 0);
  matched.removeOthers(usedNeeds);
  const actions = matchActions(
    stored.actions.filter(({ action_type: type }) => hasSchedulers || type !== 'schedule_nodes'),
    plan.actions.map((action) => {
      const { workflow_id: _of, ...body } = actionBody(plan, action, 0, ids, matched.refs.schedulers);
      return body;
    }),
  );
  const update: PlanUpdate = {
    ...(settings.update === undefined ? {} : { settings: settings.update }),
    ...matched.update(),
    ...part('jobs', { add, change, remove: removed.map(({ id }) => id) }),
    ...part('workflow_actions', actions.update),
  };
  const records = [...settings.differences, ...matched.differences(), ...actions.differences];
  return { update, jobs: differences, records, unchanged };
}

/** A part of the update; left out if it changes nothing. */
const part = (name: keyof PlanUpdate, lists: Readonly<Record<string, readonly unknown[]>>) =>
  Object.values(lists).some(({ length }) => length > 0) ? { [name]: lists } : {};

interface Writers {
  readonly files: ReadonlyMap<number, number[]>;
  readonly userData: ReadonlyMap<number, number[]>;
}

/** The jobs of the plan that write each file and each record of user data. */
function writersOf(plan: Plan): Writers {
  const files = new Map<number, number[]>();
  const userData = new Map<number, number[]>();
  const note = (of: Map<number, number[]>, record: number, job: number) => {
    const known = of.get(record);
    if (known === undefined) of.set(record, [job]);
    else known.push(job);
  };
  for (let number = 0; number < plan.jobs.length; number += 1) {
    const { outputFiles, outputUserData } = plan.jobs.at(number);
    for (const file of outputFiles) note(files, file, number);
    for (const data of outputUserData) note(userData, data, number);
  }
  return { files, userData };
}

/** The jobs that a job waits for, by names and by what it reads. */
function upstreamOf(
  { dependsOn, inputFiles, inputUserData }: Pick<PlannedLists, 'dependsOn' | 'inputFiles' | 'inputUserData'>,
  number: number,
  writers: Writers,
): Set<number> {
  const upstream = new Set<number>(dependsOn);
  for (const file of inputFiles) for (const writer of writers.files.get(file) ?? []) upstream.add(writer);
  for (const data of inputUserData) for (const writer of writers.userData.get(data) ?? []) upstream.add(writer);
  upstream.delete(number);
  return upstream;
}

type PlannedLists = ReturnType<Plan['jobs']['at']>;

/** Names of records for people, which few jobs need, and what counts as changed content. */
function comparisonOf(plan: Plan, stored: StoredPlan, { refs, ...matched }: MatchedPlan, ids: Ids): Comparison {
  const known = new Map<string, ReadonlyMap<number, string>>();
  const namesOf = (kind: Parameters<Comparison['nameOf']>[0]): ReadonlyMap<number, string> => {
    const names = new Map(stored[kind].map(({ id, name }) => [id, name]));
    const references = kind === 'jobs' ? ids : refs[kind];
    const nameAt = (number: number) =>
      kind === 'jobs'
        ? plan.jobName(number)
        : ((kind === 'requirements' ? plan.resourceRequirements[number] : plan[kind].at(number))?.name ?? '');
    for (const [number, id] of references.entries()) if (id < 0) names.set(id, nameAt(number));
    known.set(kind, names);
    return names;
  };
  return {
    requirements: new Map(stored.requirements.map((each) => [each.id, each])),
    defaultRequirements: stored.requirements.find(({ name }) => name === 'default')?.id ?? 0,
    changedFiles: matched.changedFiles,
    changedUserData: matched.changedUserData,
    nameOf: (kind, id) => (known.get(kind) ?? namesOf(kind)).get(id) ?? String(id),
  };
}
