import type { Tool } from '../tool.ts';
import { createWorkflow, planAllocations } from './create.ts';
import { explainJob, getJobDetails, listFailedJobs, listJobsByStatus, listPendingFailedJobs } from './jobs.ts';
import { analyzeWorkflowLogs, checkOfflineJournals, getJobLogs, tailOutput } from './output.ts';
import { getDocs, getExample, listExamples } from './pages.ts';
import { changeJobCommands, classifyAndResolveFailures, recoverWorkflow } from './recovery.ts';
import {
  analyzeResourceUsage,
  checkResourceUtilization,
  regroupJobResources,
  suggestResources,
  updateJobResources,
} from './resources.ts';
import { getSlurmSacct, listResults } from './results.ts';
import { explainWorkflowTool, getExecutionPlan, getGraph, getWorkflowStatus, getWorkflowSummary } from './workflows.ts';

/** Every tool, those first that an agent needs first. */
export const tools: readonly Tool[] = [
  explainWorkflowTool,
  explainJob,
  tailOutput,
  recoverWorkflow,
  changeJobCommands,
  suggestResources,
  createWorkflow,
  getWorkflowStatus,
  getWorkflowSummary,
  getExecutionPlan,
  getGraph,
  getJobDetails,
  listJobsByStatus,
  listFailedJobs,
  listPendingFailedJobs,
  listResults,
  getJobLogs,
  analyzeWorkflowLogs,
  checkOfflineJournals,
  checkResourceUtilization,
  analyzeResourceUsage,
  updateJobResources,
  regroupJobResources,
  classifyAndResolveFailures,
  planAllocations,
  getSlurmSacct,
  listExamples,
  getExample,
  getDocs,
];
