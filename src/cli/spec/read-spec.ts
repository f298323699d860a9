import { realpathSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import { printable } from '../../core/text/printable.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { fewAlike } from '../../core/workflow-file/problems/few-alike.ts';
import {
  creationLine,
  creationPrefix,
  formatProblem,
  type Problem,
} from '../../core/workflow-file/problems/problems.ts';
import { isAcceptable, type SpecReading } from '../../core/workflow-file/read/read.ts';
import { confirm, isPersonThere } from '../choose/choose-workflow.ts';
import { Failure } from '../command/failure.ts';
import { fileErrorWords } from '../terminal/file-error.ts';
import type { Context } from '../command/context.ts';
import { incompleteWords } from '../../operations/report/views/next-lines.ts';
import { createFromPlan, readSpecHere } from '../../operations/create/create.ts';
import { readUserText } from '../../operations/create/read-user-text.ts';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import type { Source } from '../../core/workflow-file/text/read-text.ts';

/** Reads a workflow file, or standard input for `-`. */
export const readSpecFile = (path: string, context: Reading, { strict }: { strict: boolean }): SpecReading =>
  readAndReport({ text: specText(path), name: path }, context, { strict });

type Reading = Pick<Context, 'settings' | 'output'>;

/** Reads the text of a workflow file, and prints how far the patterns are where that takes long. */
export function readAndReport(
  source: Source,
  { settings, output }: Reading,
  { strict }: { strict: boolean },
): SpecReading {
  let reportedMs = performance.now();
  return readSpecHere(source, {
    maxJobs: settings.maxJobs,
    strict,
    reportCompared(names, of) {
      if (performance.now() - reportedMs < SHOWN_EVERY_MS) return;
      reportedMs = performance.now();
      output.notice(`Comparing patterns with names: ${grouped(names)} of ${grouped(of)}`);
    },
  });
}

/** The text of a workflow file, or of standard input for `-`. */
export function specText(path: string): string {
  if (path === '-') {
    if (process.stdin.isTTY === true)
      throw new Failure('a workflow spec is expected on standard input, and that is a terminal');
    return readUserText(0);
  }
  try {
    return readUserText(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : (fileErrorWords(code) ?? (cause as Error).message);
    throw new Failure(`Error reading spec: ${path}: ${why}`, { cause });
  }
}

/**
 * The plan of a valid reading. All problems are reported at once, and then nothing is created; the user confirms
 * warnings about resources.
 */
export async function acceptedPlan(
  context: Context,
  reading: SpecReading,
  { skipChecks }: { skipChecks: boolean },
): Promise<Plan> {
  const { output } = context;
  const errors = reading.problems.filter(({ severity }) => severity === 'error');
  const short = reading.problems.filter(({ stage, severity }) => stage === 'resources' && severity === 'warning');
  const warnings = reading.problems.filter(({ severity, stage }) => severity === 'warning' && stage !== 'resources');
  for (const problem of fewAlike(warnings)) output.warn(formatProblem(problem));
  if (!isAcceptable(reading, { skipsChecks: skipChecks }) || reading.plan === undefined)
    throw new Failure(problemsText(errors));
  if (short.length > 0 && !skipChecks) {
    output.notice(
      ['Resource validation warnings:', ...short.map(({ message, plain }) => `  ${plain ?? message}`)].join('\n'),
    );
    if (!isPersonThere(output)) {
      throw new Failure('Nothing was created. Use --skip-checks to bypass resource validation.');
    }
    if (!(await confirm(context, 'Proceed anyway?'))) throw new Failure('Nothing was created.');
  }
  return reading.plan;
}

/** All problems, each with its place, after the message of Torc 1.0.0; a single one as Torc 1.0.0 prints it. */
function problemsText(errors: readonly Problem[]): string {
  const [first, ...others] = errors;
  if (first === undefined) return 'Error reading spec: nothing that could be a workflow';
  const head =
    others.length === 0 ? creationLine(first) : `${creationPrefix(first)}${counted(errors.length, 'problem')}`;
  const lines = fewAlike(errors).map((problem) => `  ${formatProblem(problem)}`);
  return [head, ...lines, 'Nothing was created.'].join('\n');
}

/** The number of jobs, or the time, from which on progress is shown, and the interval: few jobs may have many dependencies. */
const SHOWN_FROM = 50_000;
const SHOWN_AFTER_MS = 5_000;
const SHOWN_EVERY_MS = 1_000;

/** The path by which the workflow of a file is found again; undefined for standard input. */
export const specFileOf = (path: string): string | undefined => (path === '-' ? undefined : realpathSync(path));

/** Creates the workflow of a plan for the calling user, and prints how far it is where that takes long. */
export async function createAndReport(
  { service, settings, output, hint }: Context,
  plan: Plan,
  { monitorsJobs = true, specFile }: { readonly monitorsJobs?: boolean; readonly specFile?: string | undefined },
): Promise<number> {
  const { client } = await service();
  await reportIncomplete(client, { user: settings.user, output, hint });
  const startMs = performance.now();
  let reportedMs = startMs;
  return createFromPlan(client, plan, {
    user: settings.user,
    monitorsJobs,
    specFile,
    onProgress(jobs) {
      const nowMs = performance.now();
      const isShown = plan.jobs.length >= SHOWN_FROM || nowMs - startMs >= SHOWN_AFTER_MS;
      if (!isShown || nowMs - reportedMs < SHOWN_EVERY_MS) return;
      reportedMs = nowMs;
      output.notice(`Creating jobs: ${grouped(jobs)} of ${grouped(plan.jobs.length)}`);
    },
  });
}

/** A younger workflow is probably still being created by another command of the same user. */
const AT_WORK_MS = 15_000;
const MOST_REPORTED = 5;

/** Names workflows of which the creation was interrupted, and the command that removes each. */
async function reportIncomplete(
  client: Client,
  { user, output, hint }: { readonly user: string } & Pick<Context, 'output' | 'hint'>,
): Promise<void> {
  const { items } = await client.listWorkflows({ query: { user, is_being_created: true, limit: MOST_REPORTED } });
  // Torc's own server lists all workflows.
  const incomplete = items.filter(({ is_being_created: isIncomplete }) => isIncomplete === true);
  if (incomplete.length === 0) return;
  // The time of a workflow is that of the server.
  const nowMs = (await client.ping()).now_ms ?? Date.now();
  for (const { id, name, timestamp } of incomplete)
    if (Date.parse(timestamp ?? '') + AT_WORK_MS < nowMs)
      output.notice(`Workflow ${id} (${printable(name)}) ${incompleteWords(id, hint)}`);
}
