import type { Command } from './command.ts';
import { filesList, userDataGet, userDataList, userDataUpdate } from './commands/artifacts.ts';
import { cancel, remove } from './commands/cancel-delete.ts';
import { create } from './commands/create.ts';
import { completions } from './commands/completions.ts';
import { configCommands } from './commands/config.ts';
import { eventsList, eventsMonitor } from './commands/events.ts';
import { htpasswdCommands } from './commands/htpasswd.ts';
import { jobsGet, jobsList } from './commands/jobs.ts';
import { exec } from './commands/exec.ts';
import { executionPlan } from './commands/execution-plan.ts';
import { ping } from './commands/ping.ts';
import { resultsGet, resultsList } from './commands/results.ts';
import { run } from './commands/run.ts';
import { serverExport } from './commands/server-export.ts';
import { serverRun } from './commands/server-run.ts';
import { serviceCommands } from './commands/server-service.ts';
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
  ...configCommands,
];

const others: Readonly<Record<string, readonly Command[]>> = {
  'torc-server': [serverRun, ...serviceCommands, serverExport],
  'torc-slurm-job-runner': [slurmRunner],
  'torc-htpasswd': htpasswdCommands,
};

/** Every command of a program. */
export const commandsOf = (program: string): readonly Command[] => others[program] ?? ofTorc;
