import { jobsInQueue } from '../../allocation/slurm-job.ts';
import { MOST_ATTEMPTS, type RecordedAttempt } from '../../attempt/history.ts';
import { type ExitCodes, exitCodesOf, storedEndOf } from '../../attempt/judge.ts';
import type { KnownJob, KnownUpstream } from '../../contract/known.ts';
import type { ComputeNode } from '../../contract/node.ts';
import type { Result } from '../../contract/result.ts';
import type { JobExplanation } from '../../contract/view.ts';
import type { ExecutionConfig } from '../../contract/workflow.ts';
import { timeoutOf } from '../../attempt/timeout.ts';
import { isOneOf, RAN } from '../../job/statuses.ts';
import { explain } from './explain.ts';
import type { AttemptEnd, JobFacts, LiveRunner, OtherJob } from './job-facts.ts';
import { roomOfNode } from '../placement/obstacles.ts';
import { futureRooms, placeOf } from './place.ts';
import { needOf } from '../resources/resource-use.ts';

/** What only the one who explains knows: its clock, and whether a runner is gone. */
export interface KnownHere extends Pick<
  JobFacts,
  'queued' | 'clusterLicenses' | 'unbegun' | 'partitions' | 'here' | 'outputCut' | 'waitsHere'
> {
  readonly nowMs: number;
  readonly isLost: (node: ComputeNode, execution: ExecutionConfig | null | undefined) => boolean;
}

/** The result that a job with this status has now, and the run in which it ended if that is an earlier one. */
export function currentEndOf({ job, of: { workflow }, results }: KnownJob): {
  readonly result: Result | undefined;
  readonly earlierRun?: number;
} {
  const last = results.findLast(({ run_id: run }) => run === workflow.run_id);
  const hasEnded = isOneOf(RAN, job.status);
  if (last !== undefined) return { result: hasEnded || last.status === job.status ? last : undefined };
  // A job that is up to date keeps its status in a new run, without a result there.
  const earlier = hasEnded ? results.at(-1) : undefined;
  return earlier === undefined ? { result: undefined } : { result: earlier, earlierRun: earlier.run_id };
}

/** The node of its last attempt, or of the runner that has it. */
export const nodeOfJob = (known: KnownJob): ComputeNode | undefined => {
  const id = currentEndOf(known).result?.compute_node_id ?? known.job.compute_node_id;
  return known.nodes.find((node) => node.id === id);
};

/** All facts that explain the status of a job. */
export function factsOfJob(known: KnownJob, { nowMs, isLost, ...seen }: KnownHere): JobFacts {
  const { job, of, requirements } = known;
  const { workflow } = of;
  const { execution_config: execution } = workflow;
  const status = job.status ?? 'uninitialized';
  const codes = exitCodesOf(execution);
  const { result, earlierRun } = currentEndOf(known);
  const node = nodeOfJob(known);
  const isReady = status === 'ready';
  const waitsForRunner = isReady && of.runners.length === 0;
  const hasLost = status === 'running' && node !== undefined && isLost(node, execution);
  const hosts = new Map(known.nodes.map(({ id, hostname }) => [id, hostname]));
  return {
    ...seen,
    id: job.id,
    name: job.name,
    status,
    requirementsId: requirements.id,
    attempt: job.attempt_id ?? 1,
    startedAt: job.start_time ?? undefined,
    labels: job.labels ?? [],
    schedulerId: job.scheduler_id ? job.scheduler_id : null,
    hasDefaultNeed: requirements.name === 'default',
    need: needOf(requirements),
    timeout: timeoutOf(job, execution ?? {}, () =>
      requirements.name === 'default' ? undefined : needOf(requirements).runtime_seconds,
    ),
    workflow: {
      id: workflow.id,
      run: workflow.run_id ?? 0,
      isCanceled: workflow.is_canceled === true,
      isArchived: workflow.is_archived === true,
      ...(isReady || hasLost ? { place: placeOf(of) } : {}),
    },
    dependencies: known.upstream.map(otherJob),
    dependenciesLeftOut: known.upstream_left_out,
    cause: known.canceled_by ? otherJob(known.canceled_by) : undefined,
    runners: isReady ? liveRunners(known, nowMs) : [],
    limits: known.waiting_limits ?? [],
    unsubmitted: waitsForRunner ? of.allocations.filter(({ status: is }) => is === 'planned') : [],
    futureRooms: waitsForRunner ? futureRooms(of) : [],
    lastRunner:
      waitsForRunner && of.last_runner
        ? {
            id: of.last_runner.id,
            hostname: of.last_runner.hostname,
            room: roomOfNode(of.last_runner, { execution, nowMs: 0 }),
          }
        : undefined,
    runningOn: node?.hostname,
    isLost: hasLost,
    end: result && attemptEndOf(result, node, codes),
    endedInRun: earlierRun,
    recordedLeftOut: known.results_left_out ?? 0,
    recorded: known.results.map((each) => recordedAttemptOf(each, hosts.get(each.compute_node_id), codes)),
  };
}

const otherJob = ({ id, name, status, return_code: code }: KnownUpstream): OtherJob => ({
  id,
  name,
  status,
  returnCode: code ?? undefined,
});

const attemptEndOf = (result: Result, node: ComputeNode | undefined, codes: ExitCodes): AttemptEnd => ({
  ...storedEndOf(result, codes),
  seconds: result.exec_time_minutes * 60,
  attempt: result.attempt_id ?? 1,
  endedAt: result.completion_time,
  peakMemoryBytes: result.peak_memory_bytes ?? undefined,
  handlerLimit: result.handler_limit ?? undefined,
  hostname: node?.hostname,
});

const recordedAttemptOf = (result: Result, hostname: string | undefined, codes: ExitCodes): RecordedAttempt => ({
  ...storedEndOf(result, codes),
  run: result.run_id,
  attempt: result.attempt_id ?? 1,
  seconds: Math.max(0, result.exec_time_minutes * 60),
  endedAt: result.completion_time,
  nodeId: result.compute_node_id,
  hostname,
});

/** The active runners, with the resources that running jobs leave free. */
function liveRunners({ of, running, running_requirements: records }: KnownJob, nowMs: number): LiveRunner[] {
  const needs = new Map(records.map((each) => [each.id, needOf(each)]));
  return of.runners.map((node) => {
    const room = roomOfNode(node, { execution: of.workflow.execution_config, nowMs });
    const here = running.flatMap(({ compute_node_id: at, resource_requirements_id: needed, jobs }) => {
      const need = at === node.id ? needs.get(needed) : undefined;
      return need === undefined ? [] : [{ need, jobs }];
    });
    const slots = node.process?.max_parallel_jobs;
    const jobsHere = here.reduce((sum, { jobs }) => sum + jobs, 0);
    /** A job of several nodes uses them whole. */
    const left = (perNode: number, amountOf: (need: JobFacts['need']) => number) =>
      here.reduce(
        (rest, { need, jobs }) =>
          Math.max(0, rest - jobs * (need.num_nodes > 1 ? need.num_nodes * perNode : amountOf(need))),
        perNode * room.nodes,
      );
    return {
      id: node.id,
      hostname: node.hostname,
      room,
      free: {
        cpus: typeof slots === 'number' ? (jobsHere < slots ? Infinity : 0) : left(room.cpus, (need) => need.num_cpus),
        memoryBytes: left(room.memoryBytes, (need) => need.memory_bytes),
        gpus: left(room.gpus, (need) => need.num_gpus),
      },
    };
  });
}

/** Reasons that a person reads. */
const MOST_REASONS = 20;

/** The explanation that a server gives its page: it asks no Slurm, and knows nothing of the machine of the user. */
export function explanationOfKnown(known: KnownJob, here: Pick<KnownHere, 'nowMs' | 'isLost'>): JobExplanation {
  const facts = factsOfJob(known, { ...here, queued: waitingIn(known) });
  const { kind, headline, reasons, next, attempts } = explain(facts);
  const unknown = unknownOf(facts);
  return {
    job_id: facts.id,
    kind,
    headline,
    reasons: reasons.slice(0, MOST_REASONS),
    reasons_left_out: Math.max(0, reasons.length - MOST_REASONS),
    next: [...next],
    attempts: attempts.slice(-MOST_ATTEMPTS),
    attempts_left_out: Math.max(0, attempts.length - MOST_ATTEMPTS) + (known.results_left_out ?? 0),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/** The allocations of a ready job without a runner that are recorded as waiting; Slurm alone knows why. */
const waitingIn = ({ job, of }: KnownJob): NonNullable<JobFacts['queued']> =>
  job.status === 'ready' && of.runners.length === 0
    ? jobsInQueue(of.allocations).map((slurmJobId) => ({ slurmJobId, reason: undefined }))
    : [];

/** What decides whether the job starts and only programs on another machine can say. */
function unknownOf({ status, runners, queued = [], workflow }: JobFacts): string | undefined {
  if (status !== 'ready' || runners.length > 0) return undefined;
  if (queued.length > 0) return 'why its allocations have not started';
  if (workflow.place?.runsIn === 'allocations') return 'which partitions of the cluster could run it';
  return undefined;
}
