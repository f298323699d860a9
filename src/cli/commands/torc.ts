import type { Command } from '../command.ts';
import { accessGroupChanges } from './access-group-change.ts';
import { accessGroupCommands } from './access-groups.ts';
import { adminCommands } from './admin.ts';
import { cancel, remove } from './cancel-delete.ts';
import { completions } from './completions.ts';
import { computeNodeCommands } from './compute-nodes.ts';
import { create } from './create.ts';
import { eventCommands } from './events.ts';
import { failureHandlerCommands } from './failure-handlers.ts';
import { fileCommands } from './files.ts';
import { jobDependencyCommands } from './job-dependencies.ts';
import { hpcCommands } from './hpc/profiles.ts';
import { jobCreation } from './jobs/create.ts';
import { jobDeletion } from './jobs/delete.ts';
import { jobsExplain } from './jobs/explain.ts';
import { jobsOutput } from './jobs/output.ts';
import { jobLists } from './jobs/list.ts';
import { jobNeeds } from './jobs/needs.ts';
import { jobsResetStatus } from './jobs/reset-status.ts';
import { jobsSpawn } from './jobs/spawn.ts';
import { jobsUpdate } from './jobs/update.ts';
import { configCommands } from './config.ts';
import { exec } from './exec.ts';
import { executionPlan } from './execution-plan.ts';
import { workflowsSchema } from './workflows/schema.ts';
import { monitorNode } from './monitor-node.ts';
import { ping } from './ping.ts';
import { plotResources } from './plot-resources.ts';
import { resourceRequirementCommands } from './resource-requirements.ts';
import { resultCommands } from './results.ts';
import { remoteCommands } from './remote/remote.ts';
import { roCrateCommands } from './ro-crate.ts';
import { run } from './run.ts';
import { scheduledComputeNodeCommands } from './scheduled-compute-nodes.ts';
import { slurmAccounting } from './slurm/accounting.ts';
import { slurmGenerate } from './slurm/generate.ts';
import { planAllocations } from './slurm/plan-allocations.ts';
import { slurmRecords } from './slurm/records.ts';
import { scheduleNodes } from './slurm/schedule-nodes.ts';
import { statusCommands } from './status.ts';
import { submit } from './submit.ts';
import { taskCommands } from './tasks.ts';
import { userDataChanges } from './user-data-change.ts';
import { userDataCommands } from './user-data.ts';
import { workflowActions } from './workflows/actions.ts';
import { workflowsCheckResources } from './workflows/check-resources.ts';
import { workflowsCorrectResources } from './workflows/correct-resources.ts';
import { workflowsDiagnose } from './workflows/diagnose.ts';
import { workflowInitialize } from './workflows/initialize.ts';
import { workflowsList } from './workflows/list.ts';
import { workflowsReconcile } from './workflows/reconcile.ts';
import { workflowRecord } from './workflows/record.ts';
import { workflowsResetStatus } from './workflows/reset-status.ts';
import { workflowState } from './workflows/state.ts';
import { workflowTransfer } from './workflows/transfer.ts';

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
  workflowsSchema,
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
  jobsOutput,
];

/** Every command of `torc`. */
export const torcCommands: readonly Command[] = [
  create,
  run,
  exec,
  submit,
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
  ...slurmRecords,
  scheduleNodes,
  ...slurmAccounting,
  slurmGenerate,
  planAllocations,
  ...hpcCommands,
  ...resourceRequirementCommands,
  ...failureHandlerCommands,
  ...jobDependencyCommands,
  ...accessGroupCommands,
  ...accessGroupChanges,
  ...remoteCommands,
  ...roCrateCommands,
  ...taskCommands,
  ...adminCommands,
  monitorNode,
  plotResources,
  ping,
  completions,
  ...configCommands,
];
