import type { AddedJob, ChangedJob, PlanSettings, UpdatedRecordKind } from '../../../core/contract/plan-update.ts';
import { newActionQueries } from '../../records/action/queries.ts';
import { createAction } from '../../records/action/create.ts';
import { createClasses } from '../../records/job/class.ts';
import type { Edges } from '../../records/edges/edges.ts';
import { storedFields } from '../../records/job/fields.ts';
import { type JobToInsert, newJobQueries } from '../../records/job/queries.ts';
import { claimedJobOf } from '../../records/rows/job.ts';
import { statusCode } from '../../../core/contract/job.ts';
import { jobFields } from '../../../core/job/fields.ts';
import type { Store } from '../../records/store.ts';
import type { ColumnValue } from '../../store/database.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { Applying } from './applying.ts';
import type { UpdateQueries } from './queries.ts';
import { createRecordWriter } from './records.ts';
import type { PlanStep } from './steps.ts';

/** Dependents of a removed job that are counted again between two steps. */
const PAGE = 256;

/** Applies one step of an update; what it adds is appended to the ids. */
export const createApply = (store: Store, queries: UpdateQueries, edges: Edges) => {
  const { db, now } = store;
  const jobs = newJobQueries(db);
  const writeRecords = createRecordWriter(store, queries);
  const classes = createClasses(db);
  const addAction = createAction(store, newActionQueries(db));

  const text = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));

  function writeSettings(id: number, settings: PlanSettings): void {
    const row = queries.settings.get({ id }) as Record<string, ColumnValue>;
    const given = Object.entries(settings).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const isObject = typeof value === 'object' && value !== null;
      const isEmpty = name === 'env' && Object.keys((value as object | null) ?? {}).length === 0;
      return [[name, isEmpty ? null : isObject ? text(value) : typeof value === 'boolean' ? Number(value) : value]];
    });
    queries.writeSettings.run({ ...row, ...(Object.fromEntries(given) as Record<string, ColumnValue>), id });
  }

  /** The id of a record: its own, or that of one that the update has added. */
  const idOf = (ids: readonly number[], reference: number): number =>
    reference < 0 ? (ids[-reference - 1] as number) : reference;

  const createRows = ({ workflowId, ids }: Applying) => {
    const defaults = jobs.jobDefaults.get({ workflowId });
    const workflowEnv = JSON.parse(defaults?.env ?? '{}') as Record<string, string>;
    const classOf = classes(workflowId);
    const one = (kind: UpdatedRecordKind, reference: number | null | undefined) =>
      reference ? idOf(ids[kind], reference) : null;
    return (job: AddedJob): JobToInsert => {
      const fields = storedFields(job, workflowEnv);
      const requirementsId =
        one('resource_requirements', job.resource_requirements_id) ?? defaults?.requirements_id ?? 0;
      const schedulerId = one('slurm_schedulers', job.scheduler_id);
      return {
        workflow_id: workflowId,
        ...fields,
        resource_requirements_id: requirementsId,
        scheduler_id: schedulerId,
        failure_handler_id: one('failure_handlers', job.failure_handler_id),
        class_id: classOf(requirementsId, { ...fields, scheduler_id: schedulerId }),
      };
    };
  };

  function changeJob(job: ChangedJob, rowOf: ReturnType<typeof createRows>, { runId, isInitialized }: Applying): void {
    const { id, runs_again: runsAgain, add: _add, remove: _remove, ...set } = job;
    const before = store.find.job(id);
    const given = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
    const row = rowOf({ ...claimedJobOf(before), scheduler_id: before.scheduler_id, ...given });
    // The stored environment has the workflow's variables already.
    queries.changeJob.run({ ...row, env: set.env === undefined ? before.env : row.env, id });
    if (runsAgain && (isInitialized || before.removed_at_ms !== null)) queries.runAgain.run({ id, runId });
  }

  function* removeJob(id: number, { isInitialized, runId }: Applying): WorkSteps {
    // Each is detached in the step that notes that it has to be counted again.
    for (;;) {
      const page = queries.waitingFor.all({ id, limit: PAGE });
      for (const { id: dependent, status } of page) {
        queries.unrelate.depends_on_job_ids.run({ jobId: dependent, otherId: id });
        if (isInitialized && status === statusCode.blocked) queries.runAgain.run({ id: dependent, runId });
      }
      yield;
      if (page.length < PAGE) break;
    }
    yield* edges.ofJob(id);
    if (queries.hasResults.get({ id }) === undefined) queries.removeJob.run({ id });
    else queries.disable.run({ id, atMs: now() });
  }

  return function* apply(step: PlanStep, applying: Applying): WorkSteps {
    const { workflowId, ids } = applying;
    switch (step.step) {
      case 'settings':
        writeSettings(workflowId, step.settings);
        return;
      case 'records':
        writeRecords(step, applying);
        return;
      case 'add jobs':
        for (const id of jobs.insertJobs(step.jobs.map(createRows(applying)))) ids.jobs.push(id);
        return;
      case 'change jobs': {
        const rowOf = createRows(applying);
        for (const job of step.jobs) changeJob(job, rowOf, applying);
        return;
      }
      case 'relations': {
        const of = jobFields[step.list].names;
        const pairs = step.pairs.map(([job, other]) => ({
          jobId: idOf(ids.jobs, job),
          otherId: idOf(ids[of], other),
          workflowId,
        }));
        if (step.isRemoval) for (const { jobId, otherId } of pairs) queries.unrelate[step.list].run({ jobId, otherId });
        else jobs.insertEdges[step.list](pairs);
        return;
      }
      case 'actions':
        for (const id of step.remove) queries.removeAction.run({ id, workflowId });
        for (const action of step.add) {
          const config = action.action_config as Record<string, unknown>;
          const scheduler = config['scheduler_id'];
          const isAtOnce = action.trigger_type === 'on_workflow_start' || action.trigger_type.startsWith('on_worker_');
          addAction(workflowId, {
            ...action,
            workflow_id: workflowId,
            action_config: (typeof scheduler === 'number' && scheduler !== 0
              ? { ...config, scheduler_id: idOf(ids.slurm_schedulers, scheduler) }
              : config) as never,
            job_ids: action.job_ids?.map((id) => idOf(ids.jobs, id)),
            trigger_count: applying.isInitialized && isAtOnce ? 1 : 0,
          });
        }
        return;
      case 'choose jobs':
        for (const id of step.ids) queries.choose.run({ id: idOf(ids.jobs, id), choice: step.number });
        return;
      case 'remove jobs':
        for (const id of step.ids) {
          if (queries.placed.get({ id }) !== undefined) yield* removeJob(id, applying);
        }
        return;
      case 'remove records':
        for (const id of step.ids) queries.removeUnused[step.kind].run({ id, workflowId });
    }
  };
};
