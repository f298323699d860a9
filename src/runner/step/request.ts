import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { filesOf, MEMORY_REPORT_VARIABLE, memoryReportOf } from '../../core/contract/files/job.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';
import { JOB_SHARE_VARIABLE } from '../../core/lifecycle/share/job-share.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import type { LaunchRequest } from '../launch/launcher.ts';

/**
 * The text that bash executes.
 *
 * An invocation script of one line precedes the command in the same line and is expected to end in `exec "$@"` or the
 * like; one with a line break, even at its end, is a preamble of separate lines and does not wrap the command.
 */
export function scriptOf(
  { command, invocation_script: script }: Pick<ClaimedJob, 'command' | 'invocation_script'>,
  { pipefail }: Pick<ExecutionConfig, 'pipefail'> = {},
): string {
  // Before the command, which a script may hand to a shell in a container; in its line, because bash counts lines in its errors.
  const strict = (text: string) => (pipefail === true && text.includes('|') ? `set -o pipefail; ${text}` : text);
  if (script === undefined || script === null || script.trim() === '') return strict(command);
  return script.includes('\n') ? `${script.trimEnd()}\n${strict(command)}` : strict(`${script.trim()} ${command}`);
}

/**
 * What every job of a run has in its environment: a launcher writes it once, and what `stepVariables` returns for each job.
 */
export const environmentOfRun = (
  environment: Readonly<Record<string, string | undefined>>,
  facts: RunFacts,
): Record<string, string | undefined> => ({ ...environment, ...Object.fromEntries(runVariables(facts)) });

/** The variables of a job in addition to those of its run, which it cannot replace: its own, its devices, its identity. */
export function stepVariables(facts: RunFacts, job: ClaimedJob, gpus: readonly string[]): [string, string][] {
  const share = facts.shareTextOf?.(job);
  const ours = [
    ...deviceVariables(gpus),
    ...limitVariables(facts, job),
    ...identityOf(job),
    ...(share === undefined ? [] : [[JOB_SHARE_VARIABLE, share] satisfies [string, string]]),
  ];
  const hidden: [string, string][] = hidesGpus(facts.execution) && job.need.num_gpus === 0 ? HIDDEN : [];
  if (!job.env) return [...hidden, ...ours];
  const fixed = new Set([...runVariables(facts), ...ours].map(([name]) => name));
  // A job that names devices itself has them.
  const own = Object.entries({ ...Object.fromEntries(hidden), ...job.env });
  return [...own.filter(([name]) => !fixed.has(name)), ...ours];
}

const DEVICE_VARIABLES = [
  'CUDA_VISIBLE_DEVICES',
  'HIP_VISIBLE_DEVICES',
  'ROCR_VISIBLE_DEVICES',
  'TORC_GPU_VISIBLE_DEVICES',
];

/** Whether jobs that asked for no GPU see none. */
export const hidesGpus = ({ hide_gpus: hides }: Pick<ExecutionConfig, 'hide_gpus'>): boolean => hides === true;

const HIDDEN = DEVICE_VARIABLES.map((name): [string, string] => [name, '']);

const deviceVariables = (gpus: readonly string[]): [string, string][] =>
  gpus.length === 0 ? [] : DEVICE_VARIABLES.map((name) => [name, gpus.join(',')]);

/** For a container, whose engine limits it: that of Docker is no descendant of the job. */
function limitVariables(facts: RunFacts, job: ClaimedJob): [string, string][] {
  const { memoryBytes, cpus } = facts.limitsOf?.(job) ?? {};
  const variables: [string, string][] = [];
  if (memoryBytes !== undefined) {
    variables.push(['TORC_MEMORY_LIMIT_BYTES', String(memoryBytes)]);
    variables.push([MEMORY_REPORT_VARIABLE, memoryReportOf(facts, job)]);
  }
  if (cpus !== undefined) variables.push(['TORC_CPU_LIMIT', String(cpus)]);
  return variables;
}

const identityOf = ({
  id,
  name,
  attempt_id: attempt,
}: Pick<ClaimedJob, 'id' | 'name' | 'attempt_id'>): [string, string][] => [
  ['TORC_JOB_ID', String(id)],
  ['TORC_JOB_NAME', name],
  ['TORC_ATTEMPT_ID', String(attempt)],
];

/** The identity of a job and of its run, for scripts that run for it. */
export const jobVariables = (
  facts: RunFacts,
  job: Pick<ClaimedJob, 'id' | 'name' | 'attempt_id'>,
): [string, string][] => [...runVariables(facts), ...identityOf(job)];

/** The identity of workflow and run, and the address of the server. */
export function runVariables(facts: RunFacts): [string, string][] {
  const { submissionDirectory } = facts;
  return [
    ...facts.variables.map(([name, value]): [string, string] => [name, value]),
    ['TORC_WORKFLOW_ID', String(facts.workflowId)],
    ['TORC_RUN_ID', String(facts.runId)],
    ['TORC_OUTPUT_DIR', facts.outputDir],
    ['TORC_API_URL', facts.apiUrl],
    ...(submissionDirectory === undefined
      ? []
      : ([['TORC_WORKFLOW_SUBMISSION_DIR', submissionDirectory]] satisfies [string, string][])),
  ];
}

/** For a launcher with the environment of the run. */
export function launchRequestOf(facts: RunFacts, job: ClaimedJob, gpus: readonly string[]): LaunchRequest {
  return { script: scriptOf(job, facts.execution), variables: stepVariables(facts, job, gpus), ...filesOf(facts, job) };
}
