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
  /** The output files of a job; they are not queried in workflows without files. */
  const outputs = (workflowId: number): OutputsOf => {
    if (queries.hasFiles.get({ workflowId }) === undefined) return () => [];
    return (jobId) => queries.outputs.all({ jobId });
  };

  /** The chosen jobs, in their order. */
  const of = (workflowId: number, chosen: readonly ChosenJob[]): ClaimedJob[] => {
    if (chosen.length === 0) return [];
    const ids = JSON.stringify(chosen.map(({ id }) => id));
    const rows = new Map(queries.jobs.all({ ids }).map((row) => [row.id, row]));
    const outputsOf = outputs(workflowId);
    return chosen.map(({ id, need }) => whole(rows.get(id) as JobRow, need, outputsOf));
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
      const outputsOf = outputs(holder.workflowId);
      return held.map(({ class_id: classId, ...row }) => whole(row, (kindById(classId) as JobKind).need, outputsOf));
    },
  };
}

type OutputsOf = (jobId: number) => { id: number; path: string }[];

function whole(row: JobRow, need: Need, outputsOf: OutputsOf): ClaimedJob {
  const outputs = outputsOf(row.id);
  return { ...claimedJobOf(row), need, ...(outputs.length === 0 ? {} : { output_files: outputs }) };
}
