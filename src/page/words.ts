import { unclaimableWords } from '../core/lifecycle/placement/unclaimable.ts';
import type { UnclaimableJobs } from '../core/contract/unclaimable.ts';
import { limitedWords } from '../core/lifecycle/placement/waiting-limit.ts';
import { sentenceOf } from '../core/attempt/cause.ts';
import type { CauseCode } from '../core/contract/cause-code.ts';
import type { JobStatus } from '../core/job/job-statuses.ts';
import { printable } from '../core/text/printable.ts';
import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { nextCommand, recoverCommand, type RunPlace } from '../core/lifecycle/explain/next-command.ts';
import { outcomeOf } from '../core/lifecycle/explain/outcome.ts';
import { type Counts, countOf, FAILED, HELD } from '../core/job/statuses.ts';
import { parseMemory } from '../core/quantity/bytes.ts';
import { counted, grouped } from '../core/quantity/count-text.ts';
import { parseDuration } from '../core/quantity/duration.ts';
import { readAmount } from '../core/quantity/read-amount.ts';
import { sizeText } from '../core/quantity/size-text.ts';
import { timeText } from '../core/quantity/time-text.ts';

/** What a page says of workflows and jobs, as functions of what the server replied. */

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, jobs) => sum + jobs, 0);
export const failedIn = (counts: Counts): number => countOf(counts, FAILED);

/** One word for the state of a workflow. */
export type WorkflowWord =
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'stopped'
  | 'canceled'
  | 'not started'
  | 'empty';

export function workflowWordOf(counts: Counts, isCanceled: boolean): WorkflowWord {
  if (isCanceled) return 'canceled';
  if (totalOf(counts) === 0) return 'empty';
  const { failed, stopped, notRun } = outcomeOf(counts);
  if (countOf(counts, HELD) > 0) return 'running';
  if (notRun > 0) return counts.uninitialized === notRun ? 'not started' : 'waiting';
  return failed > 0 ? 'failed' : stopped > 0 ? 'stopped' : 'completed';
}

/** What is the matter with a workflow, in one sentence. */
export function verdictOf(counts: Counts, isCanceled: boolean, runners: number): string {
  const total = totalOf(counts);
  const { completed: done, failed, stopped, running } = outcomeOf(counts);
  const completed = `${grouped(done)} of ${counted(total, 'job')} completed`;
  const faults = [
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(stopped > 0 ? [`${grouped(stopped)} ${stopped === 1 ? 'was' : 'were'} stopped`] : []),
  ];
  const withFaults = faults.length === 0 ? completed : `${completed}, ${faults.join(' and ')}`;
  switch (workflowWordOf(counts, isCanceled)) {
    case 'empty':
      return 'This workflow has no jobs.';
    case 'not started':
      return `${counted(total, 'job')} ${total === 1 ? 'has' : 'have'} not been initialized.`;
    case 'canceled':
      return `This workflow was canceled: ${withFaults}.`;
    case 'completed':
      return total === 1 ? 'The job completed.' : `All ${counted(total, 'job')} completed.`;
    case 'failed':
      return `This workflow ended: ${withFaults}.`;
    case 'stopped':
      return `This workflow was stopped: ${withFaults}.`;
    case 'running':
      return running === 0
        ? `${counted(runners, 'runner')} ${runners === 1 ? 'is' : 'are'} about to start jobs; ${withFaults}.`
        : `${counted(running, 'job')} ${running === 1 ? 'runs' : 'run'} on ${counted(runners, 'runner')}; ${withFaults}.`;
    case 'waiting':
      return runners === 0 ? `No runner is active; ${withFaults}.` : `Nothing runs at the moment; ${withFaults}.`;
  }
}

/** What a runner of this workflow is, and the command that a person runs for one: in Slurm, one that submits. */
export function runnerCommand(place: RunPlace): { readonly says: string; readonly command: string | undefined } {
  const command = nextCommand(place);
  switch (place.runsIn) {
    case 'anywhere':
      return { says: 'This starts one on the machine where it is run:', command };
    case 'hosts':
      return { says: 'This starts one on each of its hosts:', command };
    case 'allocations':
      return { says: 'Its runners come with allocations of a cluster. There, this submits them:', command };
    case 'scripts':
      return { says: `${command.charAt(0).toUpperCase()}${command.slice(1)}.`, command: undefined };
  }
}

export interface WaitingReason {
  readonly jobs: number;
  readonly words: string;
  /** What a person types next. */
  readonly command?: string;
}

/** Why jobs wait, the most important reason first. `unclaimable` are ready jobs that no active runner can take. */
export function reasonsToWait(
  status: WorkflowStatus,
  place: RunPlace | undefined,
  unclaimable: readonly UnclaimableJobs[] = [],
): WaitingReason[] {
  const { workflow_id: id, jobs_by_status: counts, active_compute_nodes: runners } = status;
  const labels = Object.entries(status.unserved_ready_labels ?? {});
  const limits = status.waiting_limits ?? [];
  const { ready } = counts;
  const queued = status.pending_scheduled_nodes;
  const isAlive = runners + queued + status.active_scheduled_nodes > 0;
  const next = place === undefined ? undefined : nextCommand(place);
  // Where a person submits scripts it is a sentence.
  const isCommand = next === undefined || COMMAND.test(next);
  const late = status.runtime_blocked_ready_jobs;
  // Labels, times and limits are reasons of their own.
  const tooLarge = runners > 0 ? unclaimable.filter(({ reason: why }) => TOO_LARGE.has(why)) : [];
  const others = ready - tooLarge.reduce((sum, { jobs }) => sum + jobs, 0);
  const reasons: (WaitingReason | undefined)[] = [
    reason(counts.uninitialized, 'has', 'have', 'not been initialized', `torc workflows init ${id}`),
    runners > 0
      ? undefined
      : queued > 0
        ? reason(ready, 'is', 'are', `ready, and ${counted(queued, 'allocation')} ${queued === 1 ? 'waits' : 'wait'}`)
        : reason(
            ready,
            'is',
            'are',
            `ready, and no runner is active${isCommand ? '' : `; ${next}`}`,
            isCommand ? next : undefined,
          ),
    ...labels.map(([label, jobs]) =>
      reason(jobs, 'needs', 'need', `a runner with the label ${label}, and none has it`),
    ),
    reason(late, 'needs', 'need', 'more time than any runner has left'),
    ...limits.map((limit): WaitingReason => ({ jobs: limit.jobs, words: limitedWords(limit, id) })),
    ...tooLarge.map((one): WaitingReason => ({
      jobs: one.jobs,
      words: unclaimableWords(one).replace(/^\d+ ready jobs? /, ''),
      command: `torc jobs explain ${one.job_id}`,
    })),
    runners > 0 && labels.length === 0 && late === 0 && limits.length === 0 && others > 0
      ? reason(others, 'is', 'are', 'ready, and the runners have no free place at the moment')
      : undefined,
    reason(counts.pending, 'is', 'are', 'about to start: a runner has claimed jobs ahead'),
    reason(counts.blocked, 'waits', 'wait', 'for other jobs to complete'),
    reason(
      counts.pending_failed,
      'waits',
      'wait',
      'for a decision after a failure',
      isAlive ? recoverCommand(id, isAlive) : `torc recover ${id} --dry-run`,
    ),
  ];
  return reasons.filter((each) => each !== undefined);
}

const TOO_LARGE: ReadonlySet<string> = new Set(['cpus', 'memory', 'gpus', 'nodes', 'scheduler']);

function reason(jobs: number, one: string, many: string, words: string, command?: string): WaitingReason | undefined {
  if (jobs === 0) return undefined;
  return { jobs, words: `${jobs === 1 ? one : many} ${words}`, ...(command === undefined ? {} : { command }) };
}

/** `3m 12s ago`, of a time as the service writes it. */
export function ageText(time: string | null | undefined, nowMs: number): string {
  const ms = Date.parse(time ?? '');
  if (Number.isNaN(ms)) return '';
  const seconds = Math.max(0, (nowMs - ms) / 1000);
  return seconds < 10 ? 'just now' : `${timeText(Math.round(seconds)).replace(/\.0s$/, 's')} ago`;
}

const COMMAND = /^(?:torc|squeue|scancel) /;

/** A step of an explanation: its words, a capital first, and the command behind them if nothing follows it. */
export function partsOfStep(step: string): { readonly words: string; readonly command?: string } {
  if (COMMAND.test(step)) return { words: '', command: step };
  const words = `${step.charAt(0).toUpperCase()}${step.slice(1)}`;
  const [before, command] = words.split(/: (?=(?:torc|squeue|scancel) )/);
  return before === undefined || command === undefined || command.includes(', then ')
    ? { words }
    : { words: before, command };
}

/** The words for a status that a person reads. */
export const statusWords = (status: string): string => status.replaceAll('_', ' ');

interface ShownEnd {
  readonly status: JobStatus;
  readonly return_code?: number | null | undefined;
  readonly cause_code?: CauseCode | null | undefined;
  readonly cause?: string | null | undefined;
}

/** Why an attempt ended: undefined for one that runs, and for a success without a cause. The server stores what a return code proves. */
export function causeWords({ status, return_code: returnCode, cause_code: causeCode, cause }: ShownEnd) {
  return typeof returnCode === 'number' ? sentenceOf({ status, returnCode, causeCode, cause }) : undefined;
}

/** A name or another text of users: cut, and with visible marks that would change the direction of writing. */
export const shortenedText = (text: string, most = 200): string =>
  printable(text.length > most ? `${text.slice(0, most)}…` : text);

type Amount = string | null | undefined;
const inWords = (amount: Amount, value: number | undefined, textOf: (value: number) => string): string =>
  value === undefined ? amount || '–' : textOf(value);

/** An amount of a workflow file in the unit of measured ones; one that cannot be read as it is. */
export const memoryWords = (amount: Amount): string => inWords(amount, readAmount(amount, parseMemory), sizeText);
export const runtimeWords = (amount: Amount): string => inWords(amount, readAmount(amount, parseDuration), timeText);
