import type { Command } from '../../command/command.ts';
import { executionPlanCommand } from './execution-plan.ts';
import { workflowsClean } from './clean.ts';
import { workflowActions } from './actions.ts';
import { workflowsCheckResources } from './check-resources.ts';
import { workflowsCorrectResources } from './correct-resources.ts';
import { workflowsDiagnose } from './diagnose.ts';
import { workflowsGraph } from './graph.ts';
import { workflowInitialize } from './initialize.ts';
import { workflowsList } from './list.ts';
import { workflowsReconcile } from './reconcile.ts';
import { workflowRecord } from './record.ts';
import { workflowsResetStatus } from './reset-status.ts';
import { workflowState } from './state.ts';
import { workflowsSyncStatus } from './sync-status.ts';
import { workflowsSchema, workflowTransfer } from './transfer.ts';

export const workflowCommands: readonly Command[] = [
  workflowsList,
  ...workflowRecord,
  ...workflowState,
  ...workflowInitialize,
  workflowsResetStatus,
  ...workflowActions,
  workflowsClean,
  workflowsCheckResources,
  workflowsCorrectResources,
  workflowsDiagnose,
  ...workflowTransfer,
  workflowsReconcile,
  workflowsSyncStatus,
  executionPlanCommand,
  workflowsGraph,
  workflowsSchema,
];
