import { standardExecution, terminationOf } from '../../core/attempt/execution.ts';
import { signalCalled } from '../../core/attempt/signal.ts';
import { STANDARD_OUTAGE_MINUTES, STANDARD_WAIT_SECONDS } from '../../core/contract/standard-settings.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { RunnerOptions } from '../facts/options.ts';
import type { RunFacts } from '../facts/run-facts.ts';

const MINUTE_MS = 60_000;
/**
 * A server without a reply for this long counts as away. It answers in milliseconds, and the longest exchanges of the
 * busiest server take a few seconds; a shorter retry interval shortens this wait too.
 */
const LONGEST_SILENCE_MS = 10_000;
/**
 * A runner in an allocation that can take no job now or later leaves after this time, unless its workflow sets an idle time
 * of its own. Shorter, and it leaves before a person or a job has added the next ones; longer, and people pay for it.
 */
const NO_WORK_MS = 10_000;
/** As in Torc 1.0.0. */
const STANDARD_LEAST_SECONDS = 300;

/** The rules of a runner's work, from its options and its workflow. */
export interface WorkRules {
  /** How jobs are asked to end, and the time that they have. */
  readonly signal: NodeJS.Signals;
  readonly leadSeconds: number;
  /** A runner that counts jobs takes none in its last seconds. */
  readonly leastSeconds: number;
  readonly staysWhenComplete: boolean;
  /** How long jobs go on while the server is away, how often it is asked then, and when it counts as away. */
  readonly patienceMs: number;
  readonly pingMs: number;
  readonly silentMs: number;
  /** The pauses between polls, and the time without a job after which the runner ends; 0 means never. */
  readonly baseMs: number;
  readonly capMs: number;
  readonly idleMs: number;
  /** The time without a job after which the runner leaves if none is left or to come for it; undefined: it does not ask. */
  readonly noWorkMs: number | undefined;
}

export function workRules(
  options: Pick<
    RunnerOptions,
    'offline' | 'outageMinutes' | 'pollIntervalSeconds' | 'claimBackoffMaxSeconds' | 'computeNodeType' | 'persistent'
  >,
  workflow: Workflow,
  { execution }: Pick<RunFacts, 'execution'>,
): WorkRules {
  const waitSeconds = workflow.compute_node_wait_for_new_jobs_seconds ?? 0;
  const staysWhenComplete = workflow.compute_node_ignore_workflow_completion === true;
  const asksForWork =
    options.computeNodeType === 'slurm' &&
    !options.persistent &&
    !staysWhenComplete &&
    waitSeconds === STANDARD_WAIT_SECONDS;
  const pingMs = options.offline.pingIntervalSeconds * 1000;
  const outageMinutes =
    options.outageMinutes ?? workflow.compute_node_wait_for_healthy_database_minutes ?? STANDARD_OUTAGE_MINUTES;
  return {
    signal: signalCalled(execution.termination_signal ?? standardExecution.termination_signal) as NodeJS.Signals,
    leadSeconds: terminationOf(execution).leadSeconds,
    leastSeconds: workflow.compute_node_min_time_for_new_jobs_seconds ?? STANDARD_LEAST_SECONDS,
    staysWhenComplete,
    patienceMs: outageMinutes * MINUTE_MS,
    pingMs,
    silentMs: Math.min(LONGEST_SILENCE_MS, pingMs),
    baseMs: options.pollIntervalSeconds * 1000,
    capMs: options.claimBackoffMaxSeconds * 1000,
    idleMs: waitSeconds * 1000,
    noWorkMs: asksForWork ? NO_WORK_MS : undefined,
  };
}
