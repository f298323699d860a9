import type { Command } from './command.ts';
import { accessGroupChanges } from './commands/access-group-change.ts';
import { accessGroupCommands } from './commands/access-groups.ts';
import { adminCommands } from './commands/admin.ts';
import { cancel, remove } from './commands/cancel-delete.ts';
import { completions } from './commands/completions.ts';
import { computeNodeCommands } from './commands/compute-nodes.ts';
import { create } from './commands/create.ts';
import { eventCommands } from './commands/events.ts';
import { failureHandlerCommands } from './commands/failure-handlers.ts';
import { fileCommands } from './commands/files.ts';
import { jobDependencyCommands } from './commands/job-dependencies.ts';
import { jobsGet, jobsList } from './commands/jobs.ts';
import { exec } from './commands/exec.ts';
import { executionPlan } from './commands/execution-plan.ts';
import { ping } from './commands/ping.ts';
import { resourceRequirementCommands } from './commands/resource-requirements.ts';
import { resultCommands } from './commands/results.ts';
import { roCrateCommands } from './commands/ro-crate.ts';
import { run } from './commands/run.ts';
import { scheduledComputeNodeCommands } from './commands/scheduled-compute-nodes.ts';
import { serverRun } from './commands/server-run.ts';
import { slurmRunner } from './commands/slurm-runner.ts';
import { status } from './commands/status.ts';
import { taskCommands } from './commands/tasks.ts';
import { userDataChanges } from './commands/user-data-change.ts';
import { userDataCommands } from './commands/user-data.ts';
import {
  workflowsGet,
  workflowsInit,
  workflowsList,
  workflowsNew,
  workflowsReinit,
  workflowsResetStatus,
} from './commands/workflows.ts';

const ofTorc: readonly Command[] = [
  create,
  run,
  exec,
  status,
  cancel,
  remove,
  workflowsList,
  workflowsGet,
  workflowsNew,
  workflowsInit,
  workflowsReinit,
  workflowsResetStatus,
  executionPlan,
  jobsList,
  jobsGet,
  ...resultCommands,
  ...fileCommands,
  ...userDataCommands,
  ...userDataChanges,
  ...eventCommands,
  ...computeNodeCommands,
  ...scheduledComputeNodeCommands,
  ...resourceRequirementCommands,
  ...failureHandlerCommands,
  ...jobDependencyCommands,
  ...accessGroupCommands,
  ...accessGroupChanges,
  ...roCrateCommands,
  ...taskCommands,
  ...adminCommands,
  ping,
  completions,
];

/** Every command of a program. */
export function commandsOf(program: string): readonly Command[] {
  if (program === 'torc-server') return [serverRun];
  return program === 'torc-slurm-job-runner' ? [slurmRunner] : ofTorc;
}
