import type { AheadJob, ClaimedJob, Need } from '../../core/contract/exchange.ts';
import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import { claimedJobOf, type JobRow } from '../records/rows/job.ts';
import type { ChosenAhead } from './ahead.ts';
import { createKinds } from './kind.ts';
import type { RunnerOfWorkflow } from './give-back.ts';
import type { ChosenJob } from './offer.ts';
import type { ClaimQueries } from './queries.ts';

/** Reads claimed jobs with all that their runner needs to start them. */
export function createClaimedJobs(queries: ClaimQueries) {
  /** The files of the jobs of one reply; they are not queried in workflows without files. */
  const files = (workflowId: number): FilesOf => {
    if (queries.hasFiles.get({ workflowId }) === undefined) return () => ({});
    let inputsLeft = MOST_INPUTS;
    return (jobId) => {
      const outputs = queries.outputs.all({ jobId }).map(claimedOutputOf);
      const inputs = inputsLeft > 0 ? queries.inputs.all({ jobId, limit: inputsLeft + 1 }) : [];
      const fit = inputs.length > 0 && inputs.length <= inputsLeft;
      if (fit) inputsLeft -= inputs.length;
      return { ...(outputs.length === 0 ? {} : { output_files: outputs }), ...(fit ? { input_files: inputs } : {}) };
    };
  };

  /** The chosen jobs, in their order. */
  const of = (workflowId: number, chosen: readonly ChosenJob[]): ClaimedJob[] => {
    if (chosen.length === 0) return [];
    const ids = JSON.stringify(chosen.map(({ id }) => id));
    const rows = new Map(queries.jobs.all({ ids }).map((row) => [row.id, row]));
    const filesOf = files(workflowId);
    return chosen.map(({ id, need }) => whole(rows.get(id) as JobRow, need, filesOf));
  };

  return {
    of,

    /** The chosen jobs with those that they wait for. */
    ahead: (workflowId: number, chosen: readonly ChosenAhead[]): AheadJob[] =>
      of(workflowId, chosen).map((job, index) => ({
        ...job,
        waits_for: [...(chosen[index] as ChosenAhead).waitsFor],
      })),

    /** The jobs that are pending in the name of the runner, those that are wanted. */
    pending(holder: RunnerOfWorkflow, isWanted: (id: number) => boolean): ClaimedJob[] {
      const held = queries.heldBy.all(holder).filter(({ id }) => isWanted(id));
      if (held.length === 0) return [];
      const kindById = createKinds(queries.classById);
      const filesOf = files(holder.workflowId);
      return held.map(({ class_id: classId, ...row }) => whole(row, (kindById(classId) as JobKind).need, filesOf));
    },
  };
}

const claimedOutputOf = ({
  id,
  path,
  temporary,
  protected: isProtected,
  is_made: isMade,
}: ReturnType<ClaimQueries['outputs']['all']>[number]) => ({
  id,
  path,
  ...(temporary === 1 && { temporary: true }),
  ...(isProtected === 1 && { protected: true }),
  ...((temporary === 1 || isProtected === 1) && isMade === 1 && { is_made: true }),
});

/** Inputs in one reply: a job that reads more is compared with the times of its files alone. 20,000 paths are about 2 MB. */
const MOST_INPUTS = 20_000;

type FilesOf = (jobId: number) => Pick<ClaimedJob, 'input_files' | 'output_files'>;

const whole = (row: JobRow, need: Need, filesOf: FilesOf): ClaimedJob => ({
  ...claimedJobOf(row),
  need,
  ...filesOf(row.id),
});
