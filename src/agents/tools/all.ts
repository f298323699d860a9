import type { Tool } from '../tool.ts';
import { explainJob, getJobDetails, listFailedJobs, listJobsByStatus, listPendingFailedJobs } from './jobs.ts';
import { analyzeWorkflowLogs, checkOfflineJournals, getJobLogs, tailOutput } from './output.ts';
import { getDocs, getExample, listExamples } from './pages.ts';
import { getSlurmSacct, listResults } from './results.ts';
import { explainWorkflowTool, getExecutionPlan, getWorkflowStatus, getWorkflowSummary } from './workflows.ts';

/** Every tool, those first that an agent needs first. */
export const tools: readonly Tool[] = [
  explainWorkflowTool,
  explainJob,
  tailOutput,
  getWorkflowStatus,
  getWorkflowSummary,
  getExecutionPlan,
  getJobDetails,
  listJobsByStatus,
  listFailedJobs,
  listPendingFailedJobs,
  listResults,
  getJobLogs,
  analyzeWorkflowLogs,
  checkOfflineJournals,
  getSlurmSacct,
  listExamples,
  getExample,
  getDocs,
];
