import type { TelemetryQuestion } from '../../core/contract/routes/telemetry.ts';
import { exactUint, GREATEST_UINT } from '../../core/contract/sonar/extended-uint.ts';
import type { ReportKind } from '../../core/contract/report-kinds.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { asPlainData } from '../answers.ts';
import { linkedAttemptsOf } from './attempts.ts';
import { hourlySpan } from './hourly-span.ts';
import { jobsOf } from './jobs.ts';
import { loadOf } from '../store/figures/load.ts';
import { cardsOf, nodeFactsOf } from './nodes.ts';
import { profileOf } from './profile.ts';
import { profileSteps } from './profile-steps.ts';
import { queueOf } from './queue.ts';
import { reportLinesOf } from './report.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';
import { uptimeOf } from './uptime.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import { type AskTask, refusalOf, type HttpReply, httpReplyOf } from '../messages.ts';

const DAY = 86_400;

class ParameterWrong extends Error {}

type Parameters = AskTask['parameters'];

function number(parameters: Parameters, name: string, usual: number): number {
  const text = parameters[name];
  if (text === undefined) return usual;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new ParameterWrong(`${name}: expected a whole number, found "${text}"`);
}

function time(parameters: Parameters, name: string, usual: number): number {
  const text = parameters[name];
  if (text === undefined) return usual;
  // A + in a query is a blank.
  const found = parseTimestamp(text.replace(' ', '+'));
  if (found === undefined)
    throw new ParameterWrong(`${name}: expected a time such as 2026-11-22T17:00:00Z, found "${text}"`);
  return found.seconds;
}

/** The questions of `torc sonar show`, by their names, besides that of clusters. */
const questions: Readonly<
  Record<
    Exclude<TelemetryQuestion, 'clusters'>,
    (asked: TelemetryRows, window: AskedWindow, parameters: Parameters) => Promise<unknown>
  >
> = {
  jobs: async (asked, window) => ({ items: await jobsOf(asked, window) }),
  load: async (asked, window, parameters) => ({
    items: await loadOf(asked, window, Math.max(60, number(parameters, 'every', 3600))),
  }),
  async profile(asked, window, parameters) {
    const { job = '', epoch } = parameters;
    const id = (name: string, text: string) => {
      if (/^\d{1,20}$/.test(text) && BigInt(text) <= GREATEST_UINT) return exactUint(BigInt(text));
      throw new ParameterWrong(`${name}: expected an integer, found "${text}"`);
    };
    const key = { job: id('job', job), epoch: epoch === undefined ? undefined : id('epoch', epoch) };
    const every = parameters['every'] === undefined ? undefined : number(parameters, 'every', 0);
    const profile = await profileSteps(asked, window, key, every);
    const { processes, nodeImbalancePercent } =
      parameters['processes'] === 'true' ? await profileOf(asked, window, key) : {};
    // Who may not see the job sees no attempt either.
    return {
      ...profile,
      ...(processes === undefined ? {} : { processes, nodeImbalancePercent }),
      attempts: profile.steps.length === 0 ? [] : await linkedAttemptsOf(asked, window, key),
    };
  },
  uptime: async (asked, window) => ({ items: await uptimeOf(asked, window) }),
  nodes: async (asked, window) => ({ items: await nodeFactsOf(asked, window) }),
  cards: async (asked, window) => ({ items: await cardsOf(asked, window) }),
  queue: async (asked, window) => ({ items: await queueOf(asked, window) }),
  async report(asked, window, { kind = '' }) {
    return { items: await reportLinesOf(asked, window, kind as ReportKind) };
  },
};

/** Answers a question from the store. `now` is Unix time. */
export async function answerQuestion(store: TelemetryStore, task: AskTask, now: number): Promise<HttpReply> {
  const { question, parameters, onlyUser } = task;
  if (question === 'clusters') return httpReplyOf(200, asPlainData({ items: await store.clusters() }));
  try {
    const until = time(parameters, 'to', now + 60);
    const from = time(parameters, 'from', until - DAY);
    const { cluster, node } = parameters;
    const window = { cluster, node, from, until, user: onlyUser };
    const answered = (await questions[question](store.rows, window, parameters)) as object;
    // Where samples are deleted, the figures are of hours.
    const hourly = await hourlySpan(store.rows, window);
    return httpReplyOf(200, asPlainData({ ...answered, ...(hourly === undefined ? {} : { hourly }) }));
  } catch (error) {
    if (!(error instanceof ParameterWrong)) throw error;
    return refusalOf('PARAMETER_REFUSED', error.message);
  }
}
