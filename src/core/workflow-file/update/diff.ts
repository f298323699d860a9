import type { NewJob } from '../../contract/job.ts';
import type { PlanUpdate } from '../../contract/plan-update.ts';
import { actionBody, type IdsOfPlan, jobBody, workflowBody } from '../plan/bodies.ts';
import { itemsOf } from '../../lists/int-list.ts';
import type { Plan, PlannedJob } from '../plan/plan.ts';
import { matchActions } from './actions.ts';
import { pairedByName } from './by-name.ts';
import type { JobDifference, PlanDifference } from './difference.ts';
import { type Comparison, jobChange } from './jobs.ts';
import { type MatchedPlan, matchPlan } from './match.ts';
import { settingChanges } from './settings.ts';
import { isBegun, isRemoved, isSpawned, type StoredJob, type StoredPlan } from './stored.ts';

/**
 * What turns a workflow into the one that the plan would create: jobs, files, user data, requirements, handlers and
 * schedulers are matched by name.
 *
 * `specFile` is the path of the file, which the workflow has from then on. Jobs that other jobs have added are in no file, and stay. Applied, the update leaves no difference.
 */
export function diffPlan(plan: Plan, stored: StoredPlan, specFile?: string): PlanDifference {
  const matched = matchPlan(plan, stored);
  // Where the file has none, a submission has generated them, with the actions that use them.
  const hasSchedulers = plan.slurmSchedulers.length > 0;
  const settings = settingChanges(
    stored.workflow,
    workflowBody(plan, { user: '', submissionDirectory: '', monitorsJobs: false, specFile }),
  );
  const { ids, had: storedJobs } = matchJobs(plan, stored);
  const isInitialized = isBegun(stored.jobs);
  const comparison = comparisonOf(plan, stored, matched, ids);
  const add: NewJob[] = [];
  const change: NonNullable<NonNullable<PlanUpdate['jobs']>['change']> = [];
  const differences: JobDifference[] = [];
  const kept = new Set<StoredJob>();
  const usedNeeds = new Set<number>();
  let unchanged = 0;
  for (let number = 0; number < ids.length; number += 1) {
    const job = plan.jobs.at(number);
    const had = storedJobs[number];
    const upstream = upstreamOf(plan.graph, number, ids);
    const wanted = jobBody(job, 0, matched.refs, upstream);
    wanted.env = envOf(plan, job);
    if (!hasSchedulers) wanted.scheduler_id = had?.scheduler_id;
    if (had === undefined) {
      const { workflow_id: _of, ...added } = wanted;
      add.push(added as NewJob);
      differences.push({ kind: 'added', name: job.name, reruns: true, changes: [] });
      continue;
    }
    kept.add(had);
    const needs = isInitialized ? upstream : Array.from(job.dependsOn, (each) => ids[each] as number);
    const found = jobChange(had, { wanted, needs }, comparison, isRemoved(had));
    usedNeeds.add(found?.update.resource_requirements_id ?? had.resource_requirements_id);
    if (found === undefined) {
      unchanged += 1;
      continue;
    }
    change.push(found.update);
    const kind = isRemoved(had) ? 'added' : 'changed';
    differences.push({ kind, id: had.id, name: job.name, reruns: found.reruns, changes: found.changes });
  }
  const removed = stored.jobs.filter((job) => !kept.has(job) && !isSpawned(job) && !isRemoved(job));
  for (const { id, name } of removed) differences.push({ kind: 'removed', id, name, reruns: false, changes: [] });

  for (const job of stored.jobs) if (isSpawned(job) || isRemoved(job)) usedNeeds.add(job.resource_requirements_id);
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
  return { update, jobs: differences, records, keptSchedulers: matched.keptSchedulers(), unchanged };
}

/** A part of the update; left out if it changes nothing. */
const part = (name: keyof PlanUpdate, lists: Readonly<Record<string, readonly unknown[]>>) =>
  Object.values(lists).some(({ length }) => length > 0) ? { [name]: lists } : {};

/** For each job of the plan its id, or its position among the added ones, from -1 down; and the stored job, if there is one. */
function matchJobs(plan: Plan, stored: StoredPlan): { ids: IdsOfPlan; had: (StoredJob | undefined)[] } {
  const wanted = { length: plan.jobs.length, nameAt: plan.jobName, order: plan.levels.items };
  const had = pairedByName(
    stored.jobs.filter((job) => !isRemoved(job) && !isSpawned(job)),
    wanted,
  );
  // A job that was removed before comes back, unless another one has its name.
  const removed = new Map(stored.jobs.filter(isRemoved).map((job) => [job.name, job]));
  const ids = new Float64Array(had.length);
  let added = 0;
  for (let number = 0; number < ids.length; number += 1) {
    had[number] ??= removed.get(plan.jobName(number));
    if (had[number] === undefined) added += 1;
    ids[number] = had[number]?.id ?? -added;
  }
  return { ids, had };
}

/** The ids of the jobs that a job waits for, by names and by what it reads. */
function upstreamOf({ jobs, waitsFor }: Plan['graph'], number: number, ids: IdsOfPlan): number[] {
  const seen = new Set<number>();
  const upstream: number[] = [];
  const follow = (node: number) => {
    for (const target of itemsOf(waitsFor, node)) {
      if (target === number || seen.has(target)) continue;
      seen.add(target);
      if (target < jobs) upstream.push(ids[target] as number);
      // A selection, a file or a record of user data.
      else follow(target);
    }
  };
  follow(number);
  return upstream;
}

/** The variables of a job, with those of the workflow. */
function envOf({ workflow }: Plan, { settings: { env } }: PlannedJob): Record<string, string> {
  const own = workflow.env as Record<string, string> | undefined;
  return env === undefined ? (own ?? NO_VARIABLES) : { ...own, ...env };
}

const NO_VARIABLES: Record<string, string> = {};

/** Names of records for people, which few jobs need, and what counts as changed content. */
function comparisonOf(plan: Plan, stored: StoredPlan, { refs, ...matched }: MatchedPlan, ids: IdsOfPlan): Comparison {
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
  let keys: Map<number, string> | undefined;
  const keysOfFiles = (): Map<number, string> => {
    keys = new Map(stored.files.map(({ id, path }) => [id, plan.keyOf(path)]));
    for (const [number, id] of refs.files.entries()) if (id < 0) keys.set(id, plan.keyOf(plan.files.at(number).path));
    return keys;
  };
  return {
    keyOfFile: (id) => (keys ?? keysOfFiles()).get(id) ?? String(id),
    requirements: new Map(stored.requirements.map((each) => [each.id, each])),
    defaultRequirements: stored.requirements.find(({ name }) => name === 'default')?.id ?? 0,
    changedFiles: matched.changedFiles,
    changedUserData: matched.changedUserData,
    nameOf: (kind, id) => (known.get(kind) ?? namesOf(kind)).get(id) ?? String(id),
  };
}
