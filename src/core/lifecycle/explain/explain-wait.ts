import type { Explanation, JobFacts, LiveRunner, OtherJob, Reason } from './job-facts.ts';
import type { SlurmJob } from '../../allocation/slurm-job.ts';
import { ENDED } from '../../job/statuses.ts';
import { sizeTexts } from '../../quantity/size-text.ts';
import { counted, grouped } from '../../quantity/count-text.ts';
import { limitedWait } from './explain-limit.ts';
import { anywhere, nextCommand } from './next-command.ts';
import { noPartition } from './no-partition.ts';
import { nearestObstacles, obstacles } from '../placement/obstacles.ts';
import { batchWords } from '../../allocation/batch-words.ts';
import { queueReasonOf } from './queue-reason.ts';
import { tooWide } from './too-wide.ts';

type Wait = Omit<Explanation, 'kind'>;

/** Explains why a job has not started. */
export function explainWait(job: JobFacts): Explanation {
  const { workflow } = job;
  const { headline, reasons, next } = waitOf(job);
  const above: Reason[] = [];
  const first: string[] = [];
  if (workflow.isCanceled) {
    above.push({ code: 'workflow_canceled', message: `workflow ${workflow.id} is canceled: nothing of it is started` });
    first.push(`torc workflows reset-status ${workflow.id} --failed-only --reinitialize`);
  }
  if (workflow.isArchived) {
    above.push({ code: 'workflow_archived', message: `workflow ${workflow.id} is archived` });
    first.push(`torc workflows archive false ${workflow.id}`);
  }
  // It is ready, or the runner has it.
  if (job.status !== 'blocked')
    for (const words of job.waitsHere ?? []) above.push({ code: 'machine_shared', message: `its runner ${words}` });
  return { kind: 'waits', headline, reasons: [...above, ...reasons], next: [...first, ...next] };
}

function waitOf(job: JobFacts): Wait {
  const { id, status, workflow } = job;
  if (status === 'blocked') return blocked(job);
  if (status === 'ready') {
    const wait = ready(job);
    const { runners } = job;
    return limitedWait(wait, job, runners.length > 0 && wait.headline !== noRunner(runners.length));
  }
  if (status === 'uninitialized') {
    const message = 'the job is uninitialized: it is not known yet what it waits for';
    return {
      headline: 'waits for its workflow to be initialized',
      reasons: [{ code: 'uninitialized', message }],
      next: [`torc workflows init ${workflow.id}`],
    };
  }
  if (status === 'disabled') {
    return {
      headline: 'is disabled: it takes no part in its workflow',
      reasons: [{ code: 'disabled', message: 'a user disabled the job' }],
      next: [`torc jobs reset-status ${id} --reinit`],
    };
  }
  return {
    headline: 'was handed to a runner that has not started it yet',
    reasons: [{ code: 'claimed', message: 'a runner holds the job and starts it when a slot is free' }],
    next: [],
  };
}

function blocked({ dependencies, dependenciesLeftOut: leftOut = 0 }: JobFacts): Wait {
  const open = dependencies.filter(({ status }) => !ENDED.has(status));
  const undecided = open.filter(({ status }) => status === 'pending_failed');
  const stopped = open.filter(({ status }) => status === 'disabled');
  return {
    headline:
      leftOut === 0
        ? `waits for ${counted(open.length, 'job')} of ${dependencies.length}`
        : `depends on ${counted(dependencies.length + leftOut, 'job')}, and waits for ${grouped(open.length)} of the first ${dependencies.length}`,
    reasons: open.map(({ id, name, status }) => ({
      code: 'dependency',
      message: `${name} (job ${id}) is ${status}`,
      job_id: id,
    })),
    next: [
      ...undecided.slice(0, 1).map((each) => `decide about ${each.name}: torc jobs reset-status ${each.id} --reinit`),
      ...stopped.slice(0, 1).map((each) => `${each.name} is disabled, and so this job never starts`),
      ...open.slice(0, 1).map(({ id }) => `torc jobs explain ${id}`),
    ],
  };
}

function ready(job: JobFacts): Wait {
  const run = runOf(job);
  if (job.runners.length === 0) {
    const none = { code: 'no_runner', message: `no runner of workflow ${job.workflow.id} is active` };
    const impossible = impossibleOf(job);
    if (impossible.length > 0) {
      const nowhere = noPartition(job);
      if (nowhere !== undefined) return { headline: NOWHERE, reasons: [none, ...nowhere.reasons], next: nowhere.next };
      return {
        headline: 'is ready, and no allocation of its workflow can ever run it',
        reasons: [none, ...impossible],
        next: [
          `plan allocations that can: torc slurm regenerate ${job.workflow.id} --submit`,
          `or lower what the job asks for: torc resource-requirements update ${job.requirementsId}`,
        ],
      };
    }
    const never = neverOf(job);
    if ((job.queued ?? []).length > 0) return inQueue(job, never);
    if ((job.unsubmitted ?? []).length > 0) return notSubmitted(job);
    const wide = tooWide(job);
    if (wide !== undefined) {
      return { headline: WIDE, reasons: [none, ...wide.reasons], next: wide.next };
    }
    return {
      headline: 'is ready, and no runner is there',
      reasons: [none, ...reasonsOfUnbegun(job.unbegun ?? []), ...never],
      next: never.length === 0 ? [run] : otherRunner(run, job, never),
    };
  }
  const found = job.runners.map((runner) => ({ runner, reasons: reasonsOf(job, runner) }));
  const reasons = found.flatMap((each) => each.reasons);
  const able = found.filter((each) => !each.reasons.some(({ code }) => code !== 'busy'));
  const idle = found.some((each) => each.reasons.length === 0);
  if (idle) {
    const message = 'a runner has room for the job: it is taken next, after jobs of higher priority';
    return { headline: 'is ready and will be taken soon', reasons: [{ code: 'soon', message }], next: [] };
  }
  if (able.length > 0) return { headline: 'is ready and waits for other jobs to end', reasons, next: [] };
  const nowhere = noPartition(job);
  if (nowhere !== undefined) return { headline: NOWHERE, ...nowhere };
  const wide = tooWide(job);
  return {
    headline: wide === undefined ? noRunner(job.runners.length) : WIDE,
    reasons: wide?.reasons ?? reasons,
    next: wide?.next ?? otherRunner(run, job, reasons),
  };
}

const noRunner = (runners: number): string =>
  runners === 1
    ? 'is ready, and the only runner cannot take it'
    : `is ready, and none of the ${runners} runners can take it`;

const NOWHERE = 'is ready, and no partition of this site could run it';
const WIDE = 'is ready, and asks for more than any machine that is known has';

/** Why no allocation of the workflow's schedulers could run the job: what the one lacks that comes nearest. */
function impossibleOf({ futureRooms = [], ...job }: JobFacts): Reason[] {
  // Labels are for runners that people start.
  if (futureRooms.length === 0 || job.labels.length > 0) return [];
  return nearestObstacles(job, futureRooms).map(({ reason, needs, has, scheduler }) => ({
    code: reason,
    message: `the job needs ${needs}, and scheduler ${scheduler} asks for ${has}`,
  }));
}

const endedUnbegun = (job: SlurmJob): string => `allocation ${job} ended before a runner of it began`;

const reasonsOfUnbegun = (unbegun: NonNullable<JobFacts['unbegun']>): Reason[] =>
  unbegun.map(({ slurmJobId, end, lines }) => ({
    code: 'allocation_ended',
    message: [`${endedUnbegun(slurmJobId)} (${end})`, ...lines.slice(-1)].join('; its last words: '),
  }));

/** A job whose runner comes with an allocation that Slurm has not started. */
function inQueue({ queued = [], unbegun = [], workflow }: JobFacts, never: readonly Reason[]): Wait {
  const gone = queued.filter(({ hasEnded }) => hasEnded === true);
  if (gone.length === queued.length) {
    return {
      headline: 'is ready, and the allocations that it waits for have ended',
      reasons: gone.flatMap(({ slurmJobId }) => {
        const known = reasonsOfUnbegun(unbegun.filter((each) => each.slurmJobId === slurmJobId));
        return known.length > 0 ? known : [{ code: 'allocation_ended', message: endedUnbegun(slurmJobId) }];
      }),
      next: [`torc recover ${workflow.id}`, `torc workflows sync-status ${workflow.id}`],
    };
  }
  const waiting = queued.filter(({ hasEnded }) => hasEnded !== true);
  const reported = waiting.map(({ slurmJobId, reason }) => ({ slurmJobId, found: reason && queueReasonOf(reason) }));
  const named = (those: typeof reported) => those.map(({ slurmJobId }) => slurmJobId).join(' ');
  const held = named(reported.filter(({ found }) => found && found.isHeld));
  const stuck = named(reported.filter(({ found }) => found && found.isFinal));
  const ids = waiting.map(({ slurmJobId }) => String(slurmJobId));
  const batch = batchWords(waiting[0]?.system);
  return {
    headline: `is ready, and waits for an allocation that ${batch.name} has not started`,
    reasons: [
      ...reported.map(({ slurmJobId, found }) => ({
        code: found && found.isFinal ? 'allocation_stuck' : 'allocation_waits',
        message: `allocation ${slurmJobId} waits${found ? ` (${found.words})` : ''}`,
      })),
      ...never,
    ],
    next:
      stuck === ''
        ? [batch.whyTheyWait(ids)]
        : [
            ...(held === '' ? [] : [`${batch.release} ${held}`]),
            `${batch.cancel} ${stuck}`,
            `torc slurm list ${workflow.id}`,
            `torc slurm schedule-nodes ${workflow.id}`,
          ],
  };
}

/** A job whose runner comes with an allocation that is planned. */
function notSubmitted({ unsubmitted = [], workflow }: JobFacts): Wait {
  const reasons = [...Map.groupBy(unsubmitted, ({ held }) => held ?? undefined)].map(([held, { length }]) => ({
    code: 'allocation_unsubmitted',
    message: `${counted(length, 'allocation')} ${length === 1 ? 'is' : 'are'} not submitted yet${held === undefined ? '' : ` (${held})`}`,
  }));
  const next = [`torc submit ${workflow.id}`];
  return { headline: 'is ready, and waits for an allocation that is not submitted yet', reasons, next };
}

/** Without facts about its place a job may run anywhere. */
const runOf = ({ workflow: { id, place }, labels, runners }: JobFacts): string =>
  nextCommand(place ?? anywhere(id), {
    labels,
    hasRunners: runners.length > 0,
  });

/** Other labels are the matter of the job, everything else that of its requirements. */
const otherRunner = (run: string, { id, requirementsId }: JobFacts, reasons: readonly Reason[]) => [
  `start a runner that can: ${run}`,
  ...(reasons.some(({ code }) => code !== 'labels' && code !== 'no_runner')
    ? [`or lower what the job asks for: torc resource-requirements update ${requirementsId}`]
    : []),
  ...(reasons.some(({ code }) => code === 'labels')
    ? [`or remove the labels of the job: torc jobs update ${id} --clear-labels`]
    : []),
];

/** What the last runner lacked; another runner like it would lack the same. */
function neverOf({ lastRunner, ...job }: JobFacts): Reason[] {
  if (lastRunner === undefined) return [];
  const { id, hostname, room } = lastRunner;
  return obstacles(job, room).map(({ reason, needs, has }) => ({
    code: reason,
    message: `the last one, runner ${id} on ${hostname}, could not take it: the job needs ${needs}, it had ${has}`,
  }));
}

/** Why this runner does not take the job: permanently, or until running jobs end. */
function reasonsOf(job: JobFacts, { id, hostname, room, free }: LiveRunner): Reason[] {
  const who = `runner ${id} on ${hostname}`;
  const never = obstacles(job, room);
  if (never.length > 0) {
    return never.map(({ reason, needs, has }) => ({
      code: reason,
      message: `${who}: the job needs ${needs}, it has ${has}`,
    }));
  }
  const { need } = job;
  const busy = [
    ...(need.num_nodes > 1 && free.cpus < need.num_nodes * room.cpus
      ? [`${need.num_nodes} idle nodes, and jobs run on too many of its ${room.nodes}`]
      : []),
    ...(need.num_cpus > free.cpus ? [`${need.num_cpus} CPUs, ${free.cpus} of ${room.cpus} are free`] : []),
    ...(!room.countsJobs && need.memory_bytes > free.memoryBytes
      ? [memoryLacking(need.memory_bytes, free.memoryBytes, room.memoryBytes)]
      : []),
    ...(!room.countsJobs && need.num_gpus > free.gpus
      ? [`${need.num_gpus} GPUs, ${free.gpus} of ${room.gpus} are free`]
      : []),
  ];
  return busy.map((words) => ({ code: 'busy', message: `${who}: the job needs ${words}` }));
}

function memoryLacking(...amounts: [need: number, free: number, all: number]): string {
  const [need, free, all] = sizeTexts(...amounts);
  return `${need}, ${free} of ${all} are free`;
}

/** The status of another job as a phrase. */
export const standing = ({ id, name, status, returnCode }: OtherJob): string =>
  `${name} (job ${id}) ${status === 'failed' ? status : `was ${status}`}${returnCode === undefined ? '' : ` with return code ${returnCode}`}`;
