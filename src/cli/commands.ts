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
import { jobCreation } from './commands/jobs/create.ts';
import { jobDeletion } from './commands/jobs/delete.ts';
import { jobsExplain } from './commands/jobs/explain.ts';
import { jobLists } from './commands/jobs/list.ts';
import { jobNeeds } from './commands/jobs/needs.ts';
import { jobsResetStatus } from './commands/jobs/reset-status.ts';
import { jobsSpawn } from './commands/jobs/spawn.ts';
import { jobsUpdate } from './commands/jobs/update.ts';
import { configCommands } from './commands/config.ts';
import { htpasswdCommands } from './commands/htpasswd.ts';
import { exec } from './commands/exec.ts';
import { executionPlan } from './commands/execution-plan.ts';
import { monitorNode } from './commands/monitor-node.ts';
import { ping } from './commands/ping.ts';
import { plotResources } from './commands/plot-resources.ts';
import { resourceRequirementCommands } from './commands/resource-requirements.ts';
import { resultCommands } from './commands/results.ts';
import { roCrateCommands } from './commands/ro-crate.ts';
import { run } from './commands/run.ts';
import { scheduledComputeNodeCommands } from './commands/scheduled-compute-nodes.ts';
import { serverExport } from './commands/server-export.ts';
import { serverRun } from './commands/server-run.ts';
import { serviceCommands } from './commands/server-service.ts';
import { slurmRunner } from './commands/slurm-runner.ts';
import { statusCommands } from './commands/status.ts';
import { taskCommands } from './commands/tasks.ts';
import { userDataChanges } from './commands/user-data-change.ts';
import { userDataCommands } from './commands/user-data.ts';
import { workflowActions } from './commands/workflows/actions.ts';
import { workflowsCheckResources } from './commands/workflows/check-resources.ts';
import { workflowsCorrectResources } from './commands/workflows/correct-resources.ts';
import { workflowsDiagnose } from './commands/workflows/diagnose.ts';
import { workflowInitialize } from './commands/workflows/initialize.ts';
import { workflowsList } from './commands/workflows/list.ts';
import { workflowsReconcile } from './commands/workflows/reconcile.ts';
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
  workflowsReconcile,
  executionPlan,
];

const ofJobs: readonly Command[] = [
  ...jobLists,
  ...jobCreation,
  jobsSpawn,
  jobsUpdate,
  ...jobDeletion,
  jobsResetStatus,
  ...jobNeeds,
  jobsExplain,
];

const ofTorc: readonly Command[] = [
  create,
  run,
  exec,
  ...statusCommands,
  cancel,
  remove,
  ...ofWorkflows,
  ...ofJobs,
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
  monitorNode,
  plotResources,
  ping,
  completions,
  ...configCommands,
];

const others: Readonly<Record<string, readonly Command[]>> = {
  'torc-server': [serverRun, ...serviceCommands, serverExport],
  'torc-slurm-job-runner': [slurmRunner],
  'torc-htpasswd': htpasswdCommands,
};

/** Every command of a program. */
export const commandsOf = (program: string): readonly Command[] => others[program] ?? ofTorc;

/** What a group of commands is about. */
export const groups: Readonly<Record<string, string>> = {
  workflows: 'Workflows: list, initialize, reset, export and more.',
  jobs: 'Jobs: list, change, run again.',
  results: 'What came of each attempt at a job.',
  files: 'Files that jobs read and write.',
  'user-data': 'Values that jobs read and write through the server.',
  events: 'What happened to a workflow, and what happens.',
  'compute-nodes': 'Runners, past and present.',
  'scheduled-compute-nodes': 'Allocations that were asked for.',
  'resource-requirements': 'What jobs need.',
  'failure-handlers': 'What is done when jobs fail.',
  'job-dependencies': 'Which jobs wait for which.',
  'access-groups': 'Groups of users, and what they see.',
  'ro-crate': 'What the research object says of a workflow and its files.',
  tasks: 'What the server carries out after its answers.',
  admin: 'The server itself: logins, SQL, traffic.',
  config: 'Configuration files.',
  service: 'The server as a service of systemd.',
};
