import { Refusal } from '../../core/contract/refusals.ts';
import type { Database, NoParameters } from './database.ts';
import type { About } from './held-workflows.ts';
import { LOCK_PATIENCE_MS, type Turns } from './turn.ts';

/**
 * Work on all rows of a workflow, in slices that share the group commit with other writes.
 *
 * `steps` yields often (every few milliseconds), each time at a point where the database is consistent and where the
 * work could start again from its parameters. Work that ends within its first slice is one ordinary write. Longer work
 * locks its workflow: other writes to it wait until the work is done, the event loop does not. Unfinished work is
 * stored in `workflow_work`; after a restart `resume` continues it.
 */
export interface Work<Result> {
  readonly workflowId: number;
  /** The name under which the work is found after a restart. */
  readonly kind: WorkKind;
  /** The data that the work needs to continue after a restart; read at the end of every slice. */
  readonly parameters: () => object;
  readonly steps: () => WorkSteps<Result>;
  /** Reverts what was written if the work ends with an error; without it, the changes stay. */
  readonly undo?: () => WorkSteps;
}

export type WorkSteps<Result = void> = Generator<void, Result>;

export type WorkKind =
  | 'cancel'
  | 'change_status'
  | 'create_jobs'
  | 'delete_rows'
  | 'delete_workflow'
  | 'initialize_jobs'
  | 'process_changed'
  | 'reset_interrupted'
  | 'reset_jobs'
  | 'update_plan';

/** Creates the work again from its stored data; undefined if nothing is left to do. */
type Resume = (workflowId: number, parameters: never) => Work<unknown>;

/** The same work with another reply. */
export const mappedWork = <Result, Reply>(work: Work<Result>, reply: (result: Result) => Reply): Work<Reply> => ({
  ...work,
  *steps() {
    return reply(yield* work.steps());
  },
});

/** Work of one step; it waits for other work on the workflow. */
export const once = <Result>(work: Omit<Work<Result>, 'steps'>, act: () => Result): Work<Result> => ({
  ...work,
  // eslint-disable-next-line require-yield
  *steps() {
    return act();
  },
});

/** Work that was asked for with these data; with `begin` it begins in another way than it continues after a restart. */
interface Restartable<Asked, Left> {
  (workflowId: number, asked: Asked): Work<Left>;
  <Result>(workflowId: number, asked: Asked, begin: () => WorkSteps<Result>): Work<Result>;
}

/** A kind of work whose data are what was asked for: `steps` does it, and continues it after a restart. */
export function restartable<Asked extends object, Left>(
  works: Pick<Works, 'onRestart'>,
  kind: WorkKind,
  steps: (workflowId: number, asked: Asked) => WorkSteps<Left>,
): Restartable<Asked, Left> {
  const work = (workflowId: number, asked: Asked, begin = () => steps(workflowId, asked)): Work<Left> => ({
    workflowId,
    kind,
    parameters: () => asked,
    steps: begin,
  });
  works.onRestart(kind, (workflowId, asked: Asked) => work(workflowId, asked));
  return work as Restartable<Asked, Left>;
}

export interface Works {
  carryOut<Result>(work: Work<Result>): Promise<Result>;
  onRestart(kind: WorkKind, resume: Resume): void;
  /** Continues the work that an earlier server left. */
  resume(): void;
  /** No further slices: the rest is done after the next start. */
  stop(): void;
}

export function createWorks(
  db: Database,
  turns: Turns,
  {
    onError,
    onSettled,
    sliceMs,
  }: { onError: (error: unknown) => void; onSettled: (workflowId: number) => void; sliceMs: number },
): Works {
  const queries = workQueries(db);
  const known = new Map<WorkKind, Resume>();
  let isStopped = false;

  const carryOut = async <Result>(work: Work<Result>, isBegun: boolean): Promise<Result> => {
    const { workflowId, kind } = work;
    let steps: WorkSteps<Result> | undefined;
    let stored = isBegun ? JSON.stringify(work.parameters()) : undefined;

    /** Lets the others continue when everything is on disk: a commit that changes nothing would not wait for it. */
    const settle = () => {
      queries.store.run({ workflowId, kind, parameters: '{}' });
      queries.remove.run({ workflowId });
      turns.release(workflowId);
      onSettled(workflowId);
    };
    const slice = (): { readonly result: Result } | undefined => {
      // Small work fits into one iteration. Longer work leaves half of each iteration to the others.
      const until = stored === undefined ? turns.deadline : Math.min(turns.deadline, performance.now() + sliceMs);
      steps ??= work.steps();
      for (;;) {
        const step = steps.next();
        if (step.done === true) {
          if (stored !== undefined) queries.remove.run({ workflowId });
          return { result: step.value };
        }
        if (performance.now() >= until) break;
      }
      const parameters = JSON.stringify(work.parameters());
      if (parameters !== stored) queries.store.run({ workflowId, kind, parameters });
      if (stored === undefined) turns.hold(workflowId, 'whole');
      stored = parameters;
      return undefined;
    };

    // The first slice waits like any write; all others wait for the later ones.
    let about: About | undefined = isBegun ? undefined : { workflowId: () => workflowId, isCompatible: false };
    try {
      for (;;) {
        const ended = await (about === undefined
          ? turns.writeSoon(slice)
          : turns.write(slice, LOCK_PATIENCE_MS, about));
        if (ended !== undefined) {
          if (stored !== undefined) await turns.write(settle);
          return ended.result;
        }
        about = undefined;
        if (isStopped) throw stopped(workflowId);
      }
    } catch (error) {
      if (!isStopped && stored !== undefined) {
        const { undo = nothing } = work;
        await carryOut({ workflowId, kind, parameters: work.parameters, steps: undo }, true);
      }
      throw error;
    }
  };

  return {
    carryOut: (work) => carryOut(work, false),
    onRestart: (kind, resume) => void known.set(kind, resume),
    resume() {
      for (const { workflow_id: workflowId, kind, parameters } of queries.all.all({})) {
        turns.hold(workflowId, 'whole');
        const resume = known.get(kind) as Resume;
        const work = resume(workflowId, JSON.parse(parameters) as never);
        carryOut(work, true).catch((error: unknown) => {
          if (!isStopped && !(error instanceof Refusal)) onError(error);
        });
      }
    },
    stop() {
      isStopped = true;
    },
  };
}

// eslint-disable-next-line no-empty-function
function* nothing(): WorkSteps {}

const stopped = (workflowId: number) =>
  new Refusal('SHUTTING_DOWN', `the server is stopping; it continues with workflow ${workflowId} when it is back`, {
    workflowId,
  });

const workQueries = (db: Database) => ({
  store: db.prepare<{ workflowId: number; kind: string; parameters: string }>(`
    insert into workflow_work (workflow_id, kind, parameters) values (:workflowId, :kind, :parameters)
    on conflict (workflow_id) do update set parameters = excluded.parameters`),
  remove: db.prepare<{ workflowId: number }>('delete from workflow_work where workflow_id = :workflowId'),
  all: db.prepare<NoParameters, { workflow_id: number; kind: WorkKind; parameters: string }>(
    'select workflow_id, kind, parameters from workflow_work order by workflow_id',
  ),
});
