import type { Tool } from '../tool.ts';
import { createWorkflowTool, planAllocationsTool } from './create.ts';
import { listFilesTool } from './files.ts';
import { explainJobTool, getJobDetails, listFailedJobs, listJobsByStatus, listPendingFailedJobs } from './jobs.ts';
import { analyzeWorkflowLogs, checkOfflineJournals, getJobLogs, tailOutput } from './output.ts';
import { getDocs, getExample, listExamples } from './pages.ts';
import { changeJobCommands, classifyAndResolveFailures, recoverWorkflowTool } from './recovery.ts';
import {
  analyzeResourceUsage,
  checkResourceUtilization,
  regroupJobResources,
  suggestResources,
  updateJobResources,
} from './resources.ts';
import { listOutOfDateTool, runAgainTool } from './run-again.ts';
import { getSlurmSacct, listResults } from './results.ts';
import {
  explainWorkflowTool,
  getExecutionPlan,
  getGraph,
  getWorkflowStatus,
  getWorkflowSummary,
  listWorkflowsTool,
} from './workflows.ts';

/** Every tool, those first that an agent needs first. */
export const tools: readonly Tool[] = [
  explainWorkflowTool,
  explainJobTool,
  tailOutput,
  recoverWorkflowTool,
  listOutOfDateTool,
  runAgainTool,
  changeJobCommands,
  suggestResources,
  createWorkflowTool,
  listWorkflowsTool,
  getWorkflowStatus,
  getWorkflowSummary,
  getExecutionPlan,
  getGraph,
  listFilesTool,
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
  planAllocationsTool,
  getSlurmSacct,
  listExamples,
  getExample,
  getDocs,
];
