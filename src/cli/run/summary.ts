import type { Client } from '../../client/client.ts';
import type { JobStatusCounts, JobStatus } from '../../core/contract/job.ts';
import { printableLine } from '../../core/text/printable.ts';
import type { Result } from '../../core/contract/result.ts';
import { didOf, sentenceOf } from '../../core/attempt/cause.ts';
import { exactPartText, outcomeParts } from '../../core/lifecycle/explain/outcome.ts';
import { countOf, ENDED_BADLY, FAILED, STOPPED, UNSUCCESSFUL } from '../../core/job/statuses.ts';
import { repeatedWords } from '../../core/attempt/repeated.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { RunSummary } from '../../runner/facts/options.ts';
import { sweptWords } from './swept.ts';
import { sayAsked } from './asked.ts';
import type { Output } from '../output/output.ts';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import { partOfSize } from '../../core/quantity/size-text.ts';
import { secondsText } from '../output/words.ts';
import { thisRun } from '../../operations/report/views/shortfalls.ts';

/** Failed jobs that are shown one by one, and the last lines of their output. */
const SHOWN_FAILURES = 5;

export interface SummaryOptions {
  readonly client: Client;
  readonly output: Output;
  readonly hint: (command: string) => string;
  readonly workflow: Workflow & { id: number };
  readonly summary: RunSummary;
  /** How many of the jobs that completed are out of date; undefined where it was not asked. */
  readonly outdated?: number | undefined;
  /** How many jobs of the workflow were not chosen; undefined where all were. */
  readonly others?: number | undefined;
  readonly outputDir: string;
}

const UNABLE: ReadonlySet<RunSummary['ending']> = new Set(['unreachable', 'behind', 'superseded', 'unable']);

/**
 * Whether the runner could not continue, or results were not reported: then the run must not look successful. A stopped
 * run ends by its signal, which is clear enough.
 */
export const isBroken = ({ ending, isReported }: Pick<RunSummary, 'ending' | 'isReported'>): boolean =>
  UNABLE.has(ending) || (!isReported && ending !== 'stopped');

/** What the summary found about the failed jobs that it shows. */
export interface FailureHints {
  /** Memory was too little for one of them, so a recovery helps more than another run. */
  readonly lacksMemory: boolean;
}

/** Prints how a run ended: the counts, the time, and for failed jobs why and where their output is. */
export async function saySummary(options: SummaryOptions): Promise<FailureHints> {
  const { output, workflow, summary } = options;
  const { counts, seconds, ending, reason, isReported } = summary;
  const { style } = output;
  let lacksMemory = false;
  if (counts !== undefined) {
    const others = outcomeParts(counts).filter(({ word }) => word !== 'completed');
    const parts = [
      `${counted(counts.completed, 'job')} completed`,
      ...others.map((part) => inColour(style, part.word, exactPartText(part))),
    ];
    const isDone = (ending === 'complete' || ending === 'chosen') && countOf(counts, UNSUCCESSFUL) === 0;
    const sign =
      countOf(counts, FAILED) > 0
        ? style('red', '✗')
        : isDone && !options.outdated
          ? style('green', '✓')
          : style('yellow', '◷');
    const here = [thisRun(summary, options.outdated), othersWords(options.others)].filter((part) => part !== undefined);
    (isDone ? output.notice : output.detail)(
      `${sign} ${style('bold', workflow.name)} (workflow ${workflow.id}): ${parts.join(', ')} in ${[secondsText(seconds), ...here].join('; ')}`,
    );
    const repeated = repeatedWords(summary.repeated);
    if (repeated !== undefined) output.notice(repeated);
    const swept = sweptWords(summary.swept);
    if (swept !== undefined) output.detail(swept);
    // A server that could not be reached for reports cannot be asked for results either.
    if (shownOf(ending, counts) > 0 && isReported) lacksMemory = await sayFailures(options);
    if (WAS_STOPPED.has(ending) && isReported) await sayAsked({ ...options, workflowId: workflow.id });
  }
  const over = overMemoryWords(options);
  if (over !== undefined) output.detail(over);
  const words = endingWords(summary);
  if (words !== undefined) output.warn(reason === undefined ? words : `${words}: ${reason}`);
  return { lacksMemory };
}

const inColour = (style: Output['style'], word: string, text: string): string =>
  word === 'failed' ? style('red', text) : word === 'stopped' ? style('yellow', text) : text;

/** The jobs that are shown one by one: where the user or the time of the run stopped jobs, nothing is wrong with them. */
const shownStatuses = (ending: RunSummary['ending']): readonly JobStatus[] =>
  [...ENDED_BADLY].filter((status) => !WAS_STOPPED.has(ending) || !STOPPED.has(status));
const WAS_STOPPED: ReadonlySet<RunSummary['ending']> = new Set(['stopped', 'deadline', 'canceled']);
const shownOf = (ending: RunSummary['ending'], counts: JobStatusCounts): number =>
  shownStatuses(ending).reduce((sum, status) => sum + counts[status], 0);

/** `greedy (job 1) used 613 of 50 MiB`, also where no limit is enforced: the requests decide how many jobs run side by side. */
function overMemoryWords({ hint, workflow, summary: { overMemory } }: SummaryOptions): string | undefined {
  if (overMemory.jobs === 0) return undefined;
  const named = overMemory.named.map(
    ({ id, name, peakBytes, askedBytes }) =>
      `  ${printableLine(name)} (job ${id}) used ${partOfSize(peakBytes, askedBytes)}`,
  );
  const more = overMemory.jobs - named.length;
  return [
    `\n${counted(overMemory.jobs, 'job')} used more memory than ${overMemory.jobs === 1 ? 'it' : 'they'} asked for:`,
    ...named,
    ...(more > 0 ? [`  … and ${more} more: ${hint(`torc workflows check-resources ${workflow.id}`)}`] : []),
    `To ask for what was used: ${hint(`torc workflows correct-resources ${workflow.id}`)}`,
  ].join('\n');
}

const othersWords = (others = 0) =>
  others === 0
    ? undefined
    : others === 1
      ? '1 other was left as it is'
      : `${grouped(others)} others were left as they are`;

/** What a user must know about an end other than completion. */
function endingWords({ ending, isReported, logPath, journal }: RunSummary): string | undefined {
  const unreported = isReported
    ? ''
    : `; what did not reach the server is kept${journal === undefined ? '' : ` (${counted(journal.completions, 'result')})`}, and the next runner on this host reports it`;
  switch (ending) {
    case 'complete':
    case 'chosen':
      return isReported ? undefined : `not everything could be reported to the server${unreported}`;
    case 'canceled':
      return 'the workflow was canceled';
    case 'superseded':
      return 'the workflow went on without this runner';
    case 'unreachable':
      return `the server could not be reached${unreported}`;
    case 'behind':
      return `the server came back with an older database${unreported}`;
    case 'idle':
      return 'the runner left before the workflow was complete';
    case 'stuck':
      return 'the workflow cannot go on';
    case 'stopped':
      return `the runner was stopped${unreported}`;
    case 'deadline':
      return 'the runner ended';
    case 'unable':
      return `jobs cannot be started here (see ${logPath})`;
  }
}

/** Returns whether memory was too little for one of the jobs. */
async function sayFailures({ client, output, hint, workflow, summary, outputDir }: SummaryOptions): Promise<boolean> {
  const { counts, ending } = summary;
  const { failedJobs } = await import('../../operations/report/failed-jobs.ts');
  const shown = await failedJobs(client, workflow, {
    atMost: SHOWN_FAILURES,
    statuses: shownStatuses(ending),
    outputDir,
  });
  for (const { result, end, command, path, tail } of shown) {
    output.detail(
      `\n${output.style('bold', result.job_name ?? `job ${result.job_id}`)} (job ${result.job_id}) ${deathOf(result)}`,
    );
    output.detail(`  ${sentenceOf(end)}`);
    if (command !== undefined) output.detail(`  $ ${oneLine(command)}`);
    if (path === undefined) continue;
    output.detail(`  ${output.style('dim', path)}`);
    for (const line of tail) output.detail(`  ${output.style('dim', '│')} ${line}`);
  }
  const more = (counts === undefined ? 0 : shownOf(ending, counts)) - shown.length;
  if (more > 0) output.detail(`\n… and ${more} more: ${hint(`torc results list ${workflow.id} --failed`)}`);
  return shown.some(({ end }) => end.causeCode === 'memory');
}

/** Longest command that is shown: three lines of a narrow terminal. */
const COMMAND_LENGTH = 240;

function oneLine(text: string): string {
  const command = text.trim();
  return printableLine(command.length > COMMAND_LENGTH ? `${command.slice(0, COMMAND_LENGTH)}…` : command);
}

/** `failed with exit code 3 after 2.1s`. */
function deathOf({ status, return_code: code, exec_time_minutes: minutes }: Result): string {
  return `${didOf(status)} with exit code ${code} after ${secondsText(minutes * 60)}`;
}
