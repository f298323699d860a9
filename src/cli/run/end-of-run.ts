import type { Client } from '../../client/client.ts';
import type { Context } from '../command/context.ts';
import { runnerOptions, type RunnerValues } from './run-workflow.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { anywhere, nextCommand, type RunPlace } from '../../core/lifecycle/explain/next-command.ts';
import { nextStep, shortfalls } from '../../operations/report/views/shortfalls.ts';
import { isBroken, saySummary, type SummaryOptions } from './summary.ts';

interface EndOptions extends Pick<SummaryOptions, 'client' | 'workflow' | 'summary' | 'outdated'> {
  /** With `--only`: what was chosen, and how many other jobs there are. */
  readonly chosen?: { readonly words: readonly string[]; readonly others: number } | undefined;
  readonly options: Pick<RunnerValues, 'outputDir'>;
  /** Does a job that failed or did not run make the exit code 1? */
  readonly failsWithJobs: boolean;
}

/** What a deadline ended must not end at the same moment again. */
const PAST: ReadonlySet<string> = new Set(['--end-time']);

/**
 * The end of `run` and `exec`: the summary, the command that goes on, and the exit code.
 *
 * A signal has set its exit code already. Otherwise it is 1 for a runner that could not go on, and for jobs that failed or
 * did not run where that was asked for; where it was not, the last line says what it would have been. True where all went well.
 */
export async function endRun(
  context: Context,
  { client, workflow, summary, outdated, chosen, options, failsWithJobs }: EndOptions,
): Promise<boolean> {
  const { output, hint, exitWith } = context;
  const { ending } = summary;
  const { lacksMemory } = await saySummary({
    client,
    output,
    hint,
    workflow,
    summary,
    outdated,
    others: chosen?.others,
    outputDir: options.outputDir,
  });

  if (lacksMemory)
    output.notice(`To run what had too little memory again with more: ${hint(`torc recover ${workflow.id}`)}`);
  const next = nextStep(summary);
  const short = shortfalls(summary);
  const isFailed = failsWithJobs && short.length > 0;
  if (ending !== 'stopped' && (isFailed || isBroken(summary))) exitWith(1);
  if (next !== undefined) {
    const repeated = runnerOptions.filter(
      ({ flags }) => ending !== 'deadline' || !PAST.has(flags.split(' ')[0] as string),
    );
    // Who runs a workflow here that was never submitted goes on here, also if it has schedulers.
    const here = anywhere(workflow.id);
    const ofAllocations = client.listScheduledComputeNodes({ query: { workflow_id: workflow.id, limit: 1 } });
    const wasSubmitted = await ofAllocations.then(({ items }) => items.length > 0).catch(() => false);
    const place = wasSubmitted ? await placeOfWorkflow(client, workflow.id) : here;
    const words = chosen?.words.map((word) => ` --only ${shellWord(word)}`).join('');
    const command =
      words === undefined
        ? nextCommand(place, { again: next.flag, isCanceled: ending === 'canceled' })
        : `torc run ${workflow.id}${words}`;
    output.notice(`${next.says}: ${place === here || words !== undefined ? hint(command, repeated) : hint(command)}`);
  }
  // What waits after a stop waits for the next run.
  if (summary.left?.jobId !== undefined && ending !== 'deadline')
    output.notice(`What would help: ${hint(`torc jobs explain ${summary.left.jobId}`)}`);
  if (short.length > 0 && !failsWithJobs && ending !== 'stopped' && !isBroken(summary))
    output.notice(`Exit code 0; with --fail it would be 1: ${short.join(', ')}`);
  return short.length === 0 && !isBroken(summary);
}

/** Loaded where it is needed: what a runner loads after its last job, it compiles. */
async function placeOfWorkflow(client: Client, id: number): Promise<RunPlace> {
  const { knownWorkflow } = await import('../../client/compat/known.ts');
  const { placeOf } = await import('../../core/lifecycle/explain/place.ts');
  return placeOf(await knownWorkflow(client, id));
}
