import type { Command } from './command.ts';
import { filesList, userDataGet, userDataList, userDataUpdate } from './commands/artifacts.ts';
import { cancel, remove } from './commands/cancel-delete.ts';
import { create } from './commands/create.ts';
import { completions } from './commands/completions.ts';
import { eventsList, eventsMonitor } from './commands/events.ts';
import { jobCreation } from './commands/jobs/create.ts';
import { jobDeletion } from './commands/jobs/delete.ts';
import { jobLists } from './commands/jobs/list.ts';
import { jobNeeds } from './commands/jobs/needs.ts';
import { jobsResetStatus } from './commands/jobs/reset-status.ts';
import { jobsUpdate } from './commands/jobs/update.ts';
import { exec } from './commands/exec.ts';
import { executionPlan } from './commands/execution-plan.ts';
import { ping } from './commands/ping.ts';
import { resultsGet, resultsList } from './commands/results.ts';
import { run } from './commands/run.ts';
import { serverRun } from './commands/server-run.ts';
import { slurmRunner } from './commands/slurm-runner.ts';
import { status } from './commands/status.ts';
import { workflowActions } from './commands/workflows/actions.ts';
import { workflowsCheckResources } from './commands/workflows/check-resources.ts';
import { workflowsCorrectResources } from './commands/workflows/correct-resources.ts';
import { workflowsDiagnose } from './commands/workflows/diagnose.ts';
import { workflowInitialize } from './commands/workflows/initialize.ts';
import { workflowsList } from './commands/workflows/list.ts';
import { workflowRecord } from './commands/workflows/record.ts';
import { workflowsResetStatus } from './commands/workflows/reset-status.ts';
import { workflowState } from './commands/workflows/state.ts';
import { workflowTransfer } from './commands/workflows/transfer.ts';

const ofWorkflows: readonly Command[] = [
  workflowsList,
  ...workflowRecord,
  ...workflowState,
  ...workflowInitialize,
  workflowsResetStatus,
  ...workflowActions,
  workflowsCheckResources,
  workflowsCorrectResources,
  workflowsDiagnose,
  ...workflowTransfer,
  executionPlan,
];

const ofJobs: readonly Command[] = [
  ...jobLists,
  ...jobCreation,
  jobsUpdate,
  ...jobDeletion,
  jobsResetStatus,
  ...jobNeeds,
];

const ofTorc: readonly Command[] = [
  create,
  run,
  exec,
  status,
  cancel,
  remove,
  ...ofWorkflows,
  ...ofJobs,
  resultsList,
  resultsGet,
  filesList,
  userDataList,
  userDataGet,
  userDataUpdate,
  eventsList,
  eventsMonitor,
  ping,
  completions,
];

/** Every command of a program. */
export function commandsOf(program: string): readonly Command[] {
  if (program === 'torc-server') return [serverRun];
  return program === 'torc-slurm-job-runner' ? [slurmRunner] : ofTorc;
}
