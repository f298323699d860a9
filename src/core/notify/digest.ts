import { sentenceOf, type StoredEnd } from '../attempt/cause.ts';
import { type Counts, countOf, ENDED, FAILED, OPEN, RUNS_NOW, UNSUCCESSFUL } from '../job/statuses.ts';
import { exactPartText, outcomeParts, outcomeRecord, partText } from '../lifecycle/explain/outcome.ts';
import { counted, hoursText } from '../quantity/count-text.ts';
import { isoMoment } from '../quantity/moment.ts';
import { timeText } from '../quantity/time-text.ts';
import { printableLine } from '../text/printable.ts';
import { type Trigger, triggers } from '../contract/notify-triggers.ts';

/** What is known of a workflow when it is looked at for messages. Times in Unix milliseconds. */
export interface NotifyFacts {
  readonly workflow: { readonly id: number; readonly name: string; readonly user: string };
  readonly runId: number;
  readonly counts: Counts;
  readonly isCanceled: boolean;
  readonly hasBegun: boolean;
  readonly wallSeconds?: number | undefined;
  /** A job that failed, with its end. */
  readonly failure?: FailedJob | undefined;
  /** Runners that are proven lost since the last look. */
  readonly lost: readonly GoneRunner[];
  readonly runners: readonly LiveRunner[];
  /** Allocations that wait or run. */
  readonly allocations: number;
  /** Since when jobs wait and nothing runs them; undefined where that is not so, or not for long enough. */
  readonly waitsSinceMs?: number | undefined;
  /** Why no runner takes the jobs that wait, in sentences. */
  readonly reasons: readonly string[];
  readonly coreHours?: number | undefined;
  readonly nowMs: number;
}

interface FailedJob extends StoredEnd {
  readonly jobId: number;
  readonly jobName: string;
}

export interface GoneRunner {
  readonly host: string;
  readonly jobs: number;
  readonly reason: string;
}

interface LiveRunner {
  readonly host: string;
  /** Until its end; undefined where it has none. */
  readonly left?: { readonly seconds: number; readonly ofSeconds: number } | undefined;
  readonly lastWordMs?: number | undefined;
}

/** When something is worth a message. */
export interface Thresholds {
  readonly failPercent: number;
  readonly timePercent: number;
  readonly silentSeconds: number;
  readonly budgetCoreHours?: number | undefined;
}

export interface Finding {
  readonly trigger: Trigger;
  readonly sentence: string;
}

type Find = (facts: NotifyFacts, thresholds: Thresholds) => string | undefined;

/** Whether every job has ended, or the workflow was canceled. A workflow without jobs has not begun. */
const hasEnded = ({ counts, isCanceled }: Pick<NotifyFacts, 'counts' | 'isCanceled'>): boolean =>
  isCanceled || (countOf(counts, OPEN) === 0 && countOf(counts, ENDED) > 0);

const FIND: Readonly<Record<Trigger, Find>> = {
  begin: () => 'its first runner has begun',
  end: (facts) => (hasEnded(facts) ? endSentence(facts) : undefined),
  stuck(facts) {
    if (hasEnded(facts) || facts.waitsSinceMs === undefined) return undefined;
    const { reasons } = facts;
    const open = countOf(facts.counts, OPEN);
    const waiting = counted(open, 'job waits', 'jobs wait');
    return `${waiting}, and nothing runs ${open === 1 ? 'it' : 'them'}${reasons.length === 0 ? '' : `: ${reasons.slice(0, 3).join('; ')}`}`;
  },
  runner_lost({ lost }) {
    const [first] = lost;
    if (first === undefined) return undefined;
    const jobs = lost.reduce((sum, each) => sum + each.jobs, 0);
    const which = lost.length === 1 ? `its runner on ${first.host} is lost` : `${lost.length} of its runners are lost`;
    const had = jobs === 0 ? '' : `, which had ${counted(jobs, 'job')}`;
    return `${which}${had}: ${first.reason}`;
  },
  budget: ({ coreHours }, { budgetCoreHours: budget }) =>
    coreHours !== undefined && budget !== undefined && coreHours >= budget
      ? `its jobs have used ${hoursText(coreHours)} core hours, and its budget is ${budget}`
      : undefined,
  many_failures({ counts }, { failPercent }) {
    const [failed, all] = [countOf(counts, FAILED), allJobs(counts)];
    // One failure of a small workflow is its first failure, and not many.
    if (failed < 2 || failed * 100 < failPercent * all) return undefined;
    return `${counted(failed, 'job')} of ${all} failed (${Math.floor((failed * 100) / all)} %)`;
  },
  first_failure: ({ counts, failure }) =>
    countOf(counts, FAILED) === 0
      ? undefined
      : `a job failed${failure === undefined ? '' : `: ${failureWords(failure)}`}`,
  time({ counts, runners, ...facts }, { timePercent }) {
    if (hasEnded({ counts, ...facts })) return undefined;
    const near = runners.find(
      ({ left }) => left !== undefined && (left.ofSeconds - left.seconds) * 100 >= left.ofSeconds * timePercent,
    );
    if (near?.left === undefined) return undefined;
    const parts = outcomeParts(counts).filter(({ word }) => word === 'running' || word === 'not run');
    return `its runner on ${near.host} ends in ${timeText(Math.max(0, near.left.seconds))}: ${parts.map(partText).join(', ')}`;
  },
  silent({ runners, nowMs, ...facts }, { silentSeconds }) {
    if (hasEnded(facts)) return undefined;
    const since = ({ lastWordMs }: LiveRunner) =>
      lastWordMs !== undefined && nowMs - lastWordMs >= silentSeconds * 1000;
    const silent = runners.filter(since).toSorted((a, b) => (a.lastWordMs ?? 0) - (b.lastWordMs ?? 0));
    const [first] = silent;
    if (first === undefined) return undefined;
    return `no word since ${clockText(first.lastWordMs ?? 0)} from its runner on ${first.host}${silent.length === 1 ? '' : ` and from ${silent.length - 1} more`}; whether it is lost is not known`;
  },
};

/**
 * What is worth a message in this state, the most important first: the same state, the same findings. A workflow that no runner has
 * taken has none, whatever a user does with it by hand.
 */
export const findingsOf = (facts: NotifyFacts, thresholds: Thresholds): Finding[] =>
  !facts.hasBegun
    ? []
    : triggers.flatMap((trigger) => {
        const sentence = FIND[trigger](facts, thresholds);
        return sentence === undefined ? [] : [{ trigger, sentence: printableLine(cut(sentence, LONGEST_SENTENCE)) }];
      });

/** Whether a finding of the end is about jobs that did not complete. */
export const isUnhappyEnd = ({ counts, isCanceled }: Pick<NotifyFacts, 'counts' | 'isCanceled'>): boolean =>
  isCanceled || countOf(counts, FAILED, UNSUCCESSFUL) > 0;

const allJobs = (counts: Counts): number => Object.values(counts).reduce((sum, jobs) => sum + jobs, 0);

const [LONGEST_SENTENCE, LONGEST_NAME] = [600, 120];
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function endSentence({ counts, isCanceled, wallSeconds }: NotifyFacts): string {
  const parts = outcomeParts(counts).map(exactPartText).join(', ');
  const time = wallSeconds === undefined ? '' : ` in ${timeText(wallSeconds)}`;
  return `it ${isCanceled ? 'was canceled' : 'ended'}: ${parts === '' ? 'no jobs' : parts}${time}`;
}

const failureWords = ({ jobName, jobId, ...end }: FailedJob): string =>
  `${cut(jobName, LONGEST_NAME)} (job ${jobId}): ${sentenceOf(end) ?? 'the reason is not known'}`;

/** `14:02 UTC` of 2026-01-31T14:02:59Z: a person compares it with a clock, and servers stand in other time zones. */
const clockText = (ms: number): string => `${isoMoment(ms).slice(11, 16)} UTC`;

/** The facts of a message for programs: it names no receiver, and its size is bounded. */
export function digestOf(facts: NotifyFacts, findings: readonly Finding[]) {
  const { workflow, failure, counts } = facts;
  return {
    version: 1,
    trigger: findings[0]?.trigger ?? 'end',
    workflow: { id: workflow.id, name: printableLine(cut(workflow.name, LONGEST_NAME)), user: workflow.user },
    run_id: facts.runId,
    state: hasEnded(facts)
      ? facts.isCanceled
        ? 'canceled'
        : 'ended'
      : countOf(counts, RUNS_NOW) > 0
        ? 'running'
        : 'waiting',
    findings: findings.map(({ trigger, sentence }) => ({ trigger, sentence })),
    jobs: outcomeRecord(counts),
    wall_seconds: facts.wallSeconds ?? null,
    first_failure:
      failure === undefined
        ? null
        : {
            job_id: failure.jobId,
            job_name: printableLine(cut(failure.jobName, LONGEST_NAME)),
            return_code: failure.returnCode,
            cause_code: failure.causeCode ?? null,
            sentence: printableLine(cut(sentenceOf(failure) ?? '', LONGEST_SENTENCE)),
          },
    at: isoMoment(facts.nowMs),
  };
}

export type Digest = ReturnType<typeof digestOf>;

/** `torc: sweep (workflow 3): it ended: 12 completed, 1 failed in 2m 03s`, in one line. */
export const digestSubject = ({ workflow, findings }: Digest): string =>
  cut(`torc: ${workflow.name} (workflow ${workflow.id}): ${findings[0]?.sentence ?? 'a test'}`, SUBJECT);
/** A line of mail has at most 998 characters (RFC 5322); mail readers show fewer. */
const SUBJECT = 200;

/** The message as plain text. */
export function digestText(digest: Digest): string {
  const { workflow, findings, jobs, first_failure: failure, run_id: run } = digest;
  const counts = Object.entries(jobs).flatMap(([word, number]) =>
    number === 0 ? [] : [`${number} ${word.replace('_', ' ')}`],
  );
  return [
    `${workflow.name} (workflow ${workflow.id}, run ${run}, of ${workflow.user})`,
    ...findings.map(({ sentence }) => `- ${sentence}`),
    ...(counts.length === 0 ? [] : [`jobs: ${counts.join(', ')}`]),
    ...(failure === null || findings.some(({ trigger }) => trigger === 'first_failure')
      ? []
      : [`first failure: ${failure.job_name} (job ${failure.job_id}): ${failure.sentence}`]),
    ...(failure === null ? [] : [`Why: torc jobs explain ${failure.job_id}`]),
    `At ${digest.at}`,
  ].join('\n');
}
