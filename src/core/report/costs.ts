import { CAUSES } from '../attempt/cause.ts';
import { causeOfRecord, type ExitCodes } from '../attempt/judge.ts';
import type { ComputeNode } from '../contract/node.ts';
import type { Result } from '../contract/result.ts';
import { SUCCEEDED } from '../job/statuses.ts';
import type { UsedJob } from '../lifecycle/resources/used-jobs.ts';
import { parseMemory } from '../quantity/bytes.ts';
import { parseMoment } from '../quantity/moment.ts';
import { readAmount } from '../quantity/read-amount.ts';

const HOUR = 3_600;

/** What attempts took, in hours. */
export interface Hours {
  /** The CPUs that they asked for. */
  asked: number;
  /** The CPUs that they kept busy; attempts that were not measured count with none. */
  used: number;
  gpus: number;
  /** Of `gpus`, those whose power was measured, and the energy that they took, in kWh. */
  countedGpus: number;
  gpuKwh: number;
  gigabytes: number;
  /** Of `asked`, what was measured. */
  measured: number;
}

const none = (): Hours => ({ asked: 0, used: 0, gpus: 0, countedGpus: 0, gpuKwh: 0, gigabytes: 0, measured: 0 });

/** What jobs ask for: cores, gigabytes of memory and GPUs on all of their nodes. */
const asksOf = ({ requirements }: UsedJob) => {
  const nodes = requirements.num_nodes ?? 1;
  const bytes = readAmount(requirements.memory ?? '0', parseMemory) ?? 0;
  return {
    cores: (requirements.num_cpus ?? 1) * nodes,
    gigabytes: (bytes / 2 ** 30) * nodes,
    gpus: (requirements.num_gpus ?? 0) * nodes,
  };
};

const secondsOf = ({ exec_time_minutes: minutes }: Result) => Math.max(0, minutes * 60);

function addAttempt(to: Hours, result: Result, job: UsedJob | undefined): void {
  const { cores, gigabytes, gpus } = job === undefined ? { cores: 1, gigabytes: 0, gpus: 0 } : asksOf(job);
  const hours = secondsOf(result) / HOUR;
  const watts = result.avg_gpu_watts ?? 0;
  if (watts > 0) {
    to.countedGpus += hours * gpus;
    to.gpuKwh += (hours * watts) / 1000;
  }
  const percent = result.avg_cpu_percent ?? 0;
  to.asked += hours * cores;
  to.gpus += hours * gpus;
  to.gigabytes += hours * gigabytes;
  if (percent <= 0) return;
  to.used += (hours * percent) / 100;
  to.measured += hours * cores;
}

/** Attempts that ended alike. */
interface AttemptGroup {
  /** `completed`, or why they did not. */
  readonly why: string;
  attempts: number;
  readonly hours: Hours;
}

/** All attempts of all runs by their ends, with what they took. */
export interface AttemptCosts {
  readonly attempts: number;
  /** Attempts that were not the last of their job. */
  readonly repeated: number;
  readonly total: Hours;
  /** Those that did not complete. */
  readonly lost: Hours;
  readonly groups: readonly AttemptGroup[];
}

export function costsOf(attempts: readonly Result[], jobs: readonly UsedJob[], codes: ExitCodes): AttemptCosts {
  const jobOf = new Map(jobs.map((job) => [job.id, job]));
  const groups = new Map<string, AttemptGroup>();
  const [total, lost] = [none(), none()];
  for (const result of attempts) {
    const job = jobOf.get(result.job_id);
    const why = whyOfAttempt(result, codes);
    let group = groups.get(why);
    if (group === undefined) groups.set(why, (group = { why, attempts: 0, hours: none() }));
    group.attempts += 1;
    addAttempt(group.hours, result, job);
    addAttempt(total, result, job);
    if (!SUCCEEDED.has(result.status)) addAttempt(lost, result, job);
  }
  const ofJobs = new Set(attempts.map(({ job_id: id }) => id)).size;
  const largest = [...groups.values()].toSorted((one, other) => other.hours.asked - one.hours.asked);
  return { attempts: attempts.length, repeated: attempts.length - ofJobs, total, lost, groups: largest };
}

function whyOfAttempt({ status, return_code: returnCode, cause_code: stored }: Result, codes: ExitCodes): string {
  if (SUCCEEDED.has(status)) return 'completed';
  const cause = stored ?? causeOfRecord({ status, returnCode }, codes);
  return (cause && CAUSES[cause].short) ?? `exit code ${returnCode}`;
}

/** A runner, with what it had and what its jobs took of it, in core hours. */
export interface RunnerShare {
  readonly runner: ComputeNode;
  /** Its CPUs over its life: what an allocation pays for. Undefined while its end is not known. */
  readonly paid: number | undefined;
  readonly attempts: number;
  readonly hours: Hours;
}

export function runnerShares(
  runners: readonly ComputeNode[],
  attempts: readonly Result[],
  jobs: readonly UsedJob[],
): RunnerShare[] {
  const jobOf = new Map(jobs.map((job) => [job.id, job]));
  const shares = new Map(runners.map(({ id }) => [id, { attempts: 0, hours: none() }]));
  for (const result of attempts) {
    const share = shares.get(result.compute_node_id);
    if (share === undefined) continue;
    share.attempts += 1;
    addAttempt(share.hours, result, jobOf.get(result.job_id));
  }
  return runners.map((runner) => {
    const seconds = lifeSecondsOf(runner);
    const paid = seconds === undefined ? undefined : (seconds / HOUR) * runner.num_cpus * Math.max(1, runner.num_nodes);
    return { runner, paid, ...(shares.get(runner.id) as { attempts: number; hours: Hours }) };
  });
}

function lifeSecondsOf({ start_time: start, end_time: end, duration_seconds: seconds }: ComputeNode) {
  if (typeof seconds === 'number') return seconds;
  const [from, to] = [parseMoment(start), parseMoment(end)];
  return from === undefined || to === undefined ? undefined : (to - from) / 1000;
}
