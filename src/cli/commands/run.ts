import { command } from '../command.ts';
import { UsageError } from '../failure.ts';
import type { Context } from '../context.ts';
import { prepareRun } from '../../operations/run.ts';
import { reportPreparation, reportResumed } from '../output/preparation.ts';
import { type HeldSignals, holdSignals } from '../held-signals.ts';
import { runnerOptions, runWorkflow } from '../run-workflow.ts';
import { createFromFile, existingWorkflow, isSpec } from '../spec-or-id.ts';
import { makeOutputFolder } from '../output-folder.ts';

export const run = command({
  words: 'run <spec-or-id>',
  says: 'Run a workflow on this machine: a file, standard input ("-"), or an existing workflow by its id or name.',
  more: 'Exits with 0 when the runner did its work, even when jobs failed; with --fail, or client.run.failed_exit in the configuration, jobs that failed or did not finish make it 1.',
  inMemory: true,
  options: [
    ...runnerOptions,
    { flags: '--skip-checks', says: 'create despite warnings about resources' },
    {
      flags: '--strict',
      says: 'turn warnings into errors: ignored nodes and keys, and unknown names in commands',
    },
    { flags: '--resume', says: 'first make ready again the jobs that were interrupted: terminated or canceled' },
    { flags: '--retry-failed', says: 'like --resume, and make failed jobs ready again as well' },
  ],
  async run(context, [given], options) {
    const { output } = context;
    const goesOn = options.resume === true || options.retryFailed === true;
    if (goesOn && isSpec(given)) refuseFile(context, given);
    let held: HeldSignals | undefined;
    const id = isSpec(given)
      ? await createFromFile(context, given, options, {
          prepare: () => makeOutputFolder(context, options.outputDir),
          whenCreated: () => (held = holdSignals()),
        })
      : await existingWorkflow(context, given);
    held ??= holdSignals();
    const { client } = await context.service();
    const workflow = await client.getWorkflow({ params: { id } });
    const again = options.retryFailed === true ? 'failed' : goesOn ? 'interrupted' : 'none';
    const resumed = await prepareRun(client, id, { again, report: reportPreparation(output) });
    if (resumed !== undefined) reportResumed(output, id, resumed, again === 'failed');

    const summary = await runWorkflow(context, id, options, undefined, undefined, held);
    const { endRun } = await import('../end-of-run.ts');
    const failsWithJobs = options.fail === true;
    await endRun(context, { client, workflow: { ...workflow, id }, summary, options, failsWithJobs });
  },
});

function refuseFile({ hint }: Context, given: string): never {
  throw new UsageError(
    `--resume and --retry-failed need the id of a workflow, found the file '${given}'; ids: ${hint('torc workflows list')}`,
  );
}
