import type { Command } from './command.ts';
import { filesList, userDataGet, userDataList, userDataUpdate } from './commands/artifacts.ts';
import { cancel, remove } from './commands/cancel-delete.ts';
import { create } from './commands/create.ts';
import { completions } from './commands/completions.ts';
import { configInit, configPaths, configShow, configValidate } from './commands/config.ts';
import { eventsList, eventsMonitor } from './commands/events.ts';
import { jobsGet, jobsList } from './commands/jobs.ts';
import { exec } from './commands/exec.ts';
import { executionPlan } from './commands/execution-plan.ts';
import { ping } from './commands/ping.ts';
import { resultsGet, resultsList } from './commands/results.ts';
import { run } from './commands/run.ts';
import { serverRun } from './commands/server-run.ts';
import { slurmRunner } from './commands/slurm-runner.ts';
import { status } from './commands/status.ts';
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
  configShow,
  configPaths,
  configInit,
  configValidate,
];

/** Every command of a program. */
export function commandsOf(program: string): readonly Command[] {
  if (program === 'torc-server') return [serverRun];
  return program === 'torc-slurm-job-runner' ? [slurmRunner] : ofTorc;
}
