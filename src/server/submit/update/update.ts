import type { PlanUpdate, PlanUpdated } from '../../../core/contract/plan-update.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Caller } from '../../caller.ts';
import { unneededFileQueries } from '../../records/file/removal-queries.ts';
import { createUnneededFiles } from '../../records/file/unneeded.ts';
import type { NoteAction } from '../../records/event/user-action.ts';
import type { Edges } from '../../records/edges/edges.ts';
import type { Store } from '../../records/store.ts';
import { inPages } from '../../store/rows.ts';
import type { WorkSteps, Work } from '../../store/work.ts';
import type { InitializeQueries } from '../initialize/queries.ts';
import { refuseIncomplete } from '../refuse-incomplete.ts';
import { createApply } from './apply.ts';
import { type Applying, noIds } from './applying.ts';
import { refuseBadUpdate } from './check.ts';
import { refuseNewCircle } from './circle.ts';
import { withoutHeld } from './held.ts';
import type { UpdateQueries } from './queries.ts';
import { createSettle } from './settle.ts';
import { type PlanStep, updateSteps } from './steps.ts';

/** The state from which an update continues after a restart; it begins when all steps are stored. */
interface Progress {
  /** The number of stored steps; undefined until all are. Without it nothing was changed, and the steps are dropped. */
  steps?: number;
  /** The number of applied ones. */
  applied: number;
  isInitialized: boolean;
  /** Jobs that have ended stay as they are unless the update names them. */
  sparesEnded?: boolean;
}

/**
 * Changes the plan of a workflow: all of it or nothing (ADR 51).
 *
 * Everything is checked first; then the steps are stored, and then applied. A small update is one transaction. During a
 * larger one the workflow is locked; a server that is killed before all steps are stored has changed nothing, and one that
 * is killed later applies the rest when it starts again.
 */
export const createPlanUpdate = (
  store: Store,
  { queries, initialize, edges }: { queries: UpdateQueries; initialize: InitializeQueries; edges: Edges },
  noteAction: NoteAction,
) => {
  const { find, windows, releases, changes, works } = store;
  const apply = createApply(store, queries, edges);
  const settle = createSettle(store, queries, initialize);
  const findUnneeded = createUnneededFiles(unneededFileQueries(store.db));
  const dropSteps = (workflowId: number) => inPages((limit) => queries.dropSteps.run({ workflowId, limit }));

  function* applyStored(workflowId: number, progress: Progress): WorkSteps {
    const { run_id: runId } = find.run(workflowId);
    const { isInitialized } = progress;
    const applying: Applying = { workflowId, runId, isInitialized, ids: noIds() };
    for (let position = 0; position < progress.applied; position += 1) {
      const { step, ids } = queries.storedStep.get({ workflowId, position }) ?? {};
      if (step === undefined || ids === null || ids === undefined) continue;
      const added = applying.ids[kindOf(JSON.parse(step) as PlanStep)];
      for (const id of JSON.parse(ids) as number[]) added.push(id);
    }
    while (progress.applied < (progress.steps ?? 0)) {
      const position = progress.applied;
      const { step: stored } = queries.storedStep.get({ workflowId, position }) as { step: string };
      const step = JSON.parse(stored) as PlanStep;
      const added = applying.ids[kindOf(step)];
      const before = added.length;
      yield* apply(step, applying);
      if (added.length > before)
        queries.storeIds.run({ workflowId, position, ids: JSON.stringify(added.slice(before)) });
      progress.applied += 1;
      yield;
    }
    const ready = isInitialized ? yield* settle(workflowId, runId, progress.sparesEnded === true) : 0;
    yield* findUnneeded.ofWorkflow(workflowId);
    yield* dropSteps(workflowId);
    if (ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: ready }]);
    releases.closeIfComplete(workflowId);
  }

  function* steps(id: number, update: PlanUpdate, caller: Caller, progress: Progress): WorkSteps<PlanUpdated> {
    const checked = yield* check(id, update);
    const reply = replyOf(checked);
    yield* releases.drain(id);
    let count = 0;
    for (const step of updateSteps(checked.update)) {
      queries.storeStep.run({ workflowId: id, position: count, step: JSON.stringify(step) });
      count += 1;
      yield;
    }
    if (count === 0) return reply;
    progress.isInitialized = queries.hasBegun.get({ workflowId: id }) !== undefined;
    progress.steps = count;
    progress.sparesEnded = sparesEnded(update);
    const { held: _held, ...counts } = reply;
    noteAction(id, caller, 'update_plan', counts);
    changes.record(id, 'jobs_reset', [{ jobs: reply.rerun_jobs, cause: 'the plan was updated' }]);
    yield* applyStored(id, progress);
    return reply;
  }

  function* check(id: number, update: PlanUpdate) {
    if (find.workflow(id).is_archived === 1)
      throw new Refusal('WORKFLOW_ARCHIVED', `workflow ${id} is archived`, { workflow_id: id });
    refuseIncomplete(store, id);
    yield* refuseBadUpdate(queries, windows, id, update);
    const applicable = yield* withoutHeld(queries, update);
    yield* refuseNewCircle(queries, applicable.update);
    return applicable;
  }

  function* trial(id: number, update: PlanUpdate): WorkSteps<PlanUpdated> {
    return replyOf(yield* check(id, update));
  }

  works.onRestart('update_plan', (workflowId, progress: Progress): Work<void> => ({
    workflowId,
    kind: 'update_plan',
    parameters: () => progress,
    steps: () => (progress.steps === undefined ? droppedSteps(workflowId) : applyStored(workflowId, progress)),
  }));

  function* droppedSteps(workflowId: number): WorkSteps {
    yield* dropSteps(workflowId);
  }

  return (id: number, update: PlanUpdate, isTrial: boolean, caller: Caller): Work<PlanUpdated> => {
    const progress: Progress = { applied: 0, isInitialized: false };
    return {
      workflowId: id,
      kind: 'update_plan',
      parameters: () => progress,
      steps: () => (isTrial ? trial(id, update) : steps(id, update, caller, progress)),
      undo: () => droppedSteps(id),
    };
  };
};

const sparesEnded = ({ choice }: PlanUpdate) => choice !== undefined && choice !== null;

const kindOf = (step: PlanStep) => (step.step === 'records' ? step.kind : 'jobs');

function replyOf({
  update,
  held,
  rerun,
}: {
  update: PlanUpdate;
  held: PlanUpdated['held'];
  rerun: number;
}): PlanUpdated {
  const { jobs, choice } = update;
  return {
    added_jobs: jobs?.add?.length ?? 0,
    changed_jobs: jobs?.change?.length ?? 0,
    removed_jobs: jobs?.remove?.length ?? 0,
    rerun_jobs: rerun,
    ...(choice ? { chosen_jobs: choice.job_ids.length } : {}),
    held: [...held],
  };
}
