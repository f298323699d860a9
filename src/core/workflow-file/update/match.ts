import { type PlanRecords, type PlanUpdate, updatedRecordKinds } from '../../contract/plan-update.ts';
import { handlerBody, type RecordIds, requirementsBody, schedulerBody } from '../plan/bodies.ts';
import type { Plan } from '../plan/plan.ts';
import type { RecordDifference } from './difference.ts';
import { matchRecords } from './records.ts';
import { isSame } from './same.ts';
import { isSpawned, type StoredFile, type StoredPlan } from './stored.ts';

/** The records of a plan that jobs refer to, matched with those of a workflow. */
export interface MatchedPlan {
  readonly refs: RecordIds;
  readonly changedFiles: ReadonlySet<number>;
  readonly changedUserData: ReadonlySet<number>;
  /** Removes what the plan does not have, except these requirements. */
  readonly removeOthers: (requirements: ReadonlySet<number>) => void;
  /** Schedulers that only allocations keep. */
  readonly keptSchedulers: () => readonly string[];
  readonly update: () => Partial<PlanUpdate>;
  readonly differences: () => readonly RecordDifference[];
}

export function matchPlan(plan: Plan, stored: StoredPlan): MatchedPlan {
  const madeNames = new Set(Array.from(plan.producedUserData(), (number) => plan.userData.at(number).name));

  const files = matchRecords(
    'files',
    { length: plan.files.length, at: (number) => fileOf(plan, number) },
    stored.files,
    {
      // Its time is read from disk before a run.
      isSame: (had, record) => isSamePath(plan, had, record) && hasFate(had, record),
      isSameContent: (had, record) => isSamePath(plan, had, record),
    },
  );
  const userData = matchRecords(
    'user_data',
    { length: plan.userData.length, at: (number) => userDataOf(plan, number) },
    stored.userData,
    {
      // A value that a job makes is not the file's.
      isSame: (had, { name, data, is_ephemeral: isEphemeral }) =>
        (had.is_ephemeral ?? false) === isEphemeral && (madeNames.has(name) || isSame(had.data ?? null, data ?? null)),
    },
  );
  const needs = plan.resourceRequirements;
  const requirements = matchRecords(
    'resource_requirements',
    {
      length: needs.length,
      at: (number) => requirementsBody(needs[number] as never) as never,
    },
    stored.requirements,
  );
  const specs = plan.slurmSchedulers;
  const schedulers = matchRecords(
    'slurm_schedulers',
    {
      length: specs.length,
      at: (number) =>
        ({ serialize_allocations: false, ...schedulerBody(specs[number] as never) }) as PlanRecords['slurm_schedulers'],
    },
    stored.schedulers,
  );
  const handlers = matchRecords(
    'failure_handlers',
    {
      length: plan.failureHandlers.length,
      at(number) {
        const handler = plan.failureHandlers[number];
        return handler && handlerBody(handler);
      },
    },
    stored.handlers,
  );

  const all = {
    files,
    user_data: userData,
    resource_requirements: requirements,
    slurm_schedulers: schedulers,
    failure_handlers: handlers,
  };
  const usage = usageOf(stored);
  return {
    refs: {
      files: files.ids,
      userData: userData.ids,
      requirements: [...requirements.ids],
      schedulers: [...schedulers.ids],
      handlers: [...handlers.ids],
    },
    changedFiles: files.changed,
    changedUserData: userData.changed,
    removeOthers(used) {
      files.removeOthers(({ id }) => usage.filesOfSpawned.has(id));
      // Without a job it is the state of one that adds jobs.
      userData.removeOthers(
        ({ id, is_ephemeral: isEphemeral }) =>
          usage.dataOfSpawned.has(id) || (isEphemeral === true && !usage.data.has(id)),
      );
      requirements.removeOthers(({ id, name }) => name === 'default' || used.has(id));
      // Where the file has none, a submission has generated them.
      if (specs.length > 0)
        schedulers.removeOthers(({ id }) => usage.schedulersOfOthers.has(id) || stored.allocatedSchedulers.has(id));
      handlers.removeOthers(({ id }) => usage.handlersOfOthers.has(id));
    },
    keptSchedulers() {
      if (specs.length === 0) return [];
      const ofFile = new Set(schedulers.ids);
      const kept = stored.schedulers.filter(({ id }) => !ofFile.has(id) && stored.allocatedSchedulers.has(id));
      return kept.map(({ id, name }) => name ?? String(id));
    },
    update: () =>
      Object.fromEntries(
        updatedRecordKinds.flatMap((kind) => {
          const { update } = all[kind];
          return update.add.length + update.change.length + update.remove.length === 0 ? [] : [[kind, update]];
        }),
      ),
    differences: () => updatedRecordKinds.flatMap((kind) => all[kind].differences),
  };
}

function fileOf(plan: Plan, number: number): PlanRecords['files'] {
  const { name, path, stMtime, fate } = plan.files.at(number);
  return { name, path, ...(stMtime === undefined ? {} : { st_mtime: stMtime }), ...fate };
}

const isSamePath = (plan: Plan, had: StoredFile, { path }: PlanRecords['files']): boolean =>
  had.path === path || plan.keyOf(had.path) === plan.keyOf(path);

/** Where only this differs, nothing runs again. Absent says no, so that it can be taken back. */
function hasFate(had: StoredFile, record: PlanRecords['files']): boolean {
  for (const each of ['temporary', 'protected'] as const) {
    if ((had[each] ?? false) === (record[each] ?? false)) continue;
    record[each] ??= false;
    return false;
  }
  return true;
}

function userDataOf(plan: Plan, number: number): PlanRecords['user_data'] | undefined {
  const { name, data, isEphemeral } = plan.userData.at(number);
  return name === undefined ? undefined : { name, data: data as never, is_ephemeral: isEphemeral };
}

/** What jobs that stay without being in the file use. */
function usageOf({ jobs }: StoredPlan) {
  const spawned = jobs.filter(isSpawned);
  const others = jobs.filter((job) => isSpawned(job) || typeof job.removed_at_ms === 'number');
  return {
    filesOfSpawned: new Set(spawned.flatMap((job) => [...(job.input_file_ids ?? []), ...(job.output_file_ids ?? [])])),
    dataOfSpawned: new Set(
      spawned.flatMap((job) => [...(job.input_user_data_ids ?? []), ...(job.output_user_data_ids ?? [])]),
    ),
    data: new Set(jobs.flatMap((job) => [...(job.input_user_data_ids ?? []), ...(job.output_user_data_ids ?? [])])),
    schedulersOfOthers: new Set(others.map(({ scheduler_id: id }) => id)),
    handlersOfOthers: new Set(others.map(({ failure_handler_id: id }) => id)),
  };
}
