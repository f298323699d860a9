import { command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import type { Context } from '../../command/context.ts';
import type { Client } from '../../../client/client.ts';
import type { Choice } from '../../../operations/update/choice.ts';
import { beginIfCanceled, prepareRun } from '../../../operations/run/run.ts';
import { sayAsked } from '../../run/asked.ts';
import { reportPreparation, reportPrepared } from '../../output/preparation.ts';
import { type HeldSignals, holdSignals } from '../../terminal/held-signals.ts';
import { loadRunnerMeanwhile, runnerOptions, runWorkflow } from '../../run/run-workflow.ts';
import { workflowSettingOptions } from '../../command/workflow-settings.ts';
import { existingWorkflow, isSpec, planOfFile, setSettings } from '../../spec/spec-or-id.ts';
import type { touchWorkflow } from './touch.ts';
import { outdatedIn, outdatedRule, reportRun } from './outdated.ts';
import { chooseUpdate, refuseUpdateOptions, updateOptions, updatesUnasked } from './update-workflow.ts';
import { beginMessages } from '../../notify/begin.ts';
import { notifyOptions } from '../../notify/receivers.ts';
import { makeOutputFolder } from '../../run/output-folder.ts';
import { STDIO_FOLDER } from '../../../core/contract/files/job.ts';
import { option } from '../../command/option.ts';
import type { RunSummary } from '../../../runner/facts/options.ts';

export const run = command('run <spec-or-id>', {
  example: 'sweep.yaml --max-parallel-jobs 4',
  says: 'Run a workflow on this machine: a file, standard input ("-"), or an existing workflow by its id or name.',
  makesDatabase: isSpec,
  more: 'In a workflow that has ended, jobs are named whose inputs have changed or whose outputs are missing; at a terminal you are asked whether they run, and --update runs them without a question. Exits with 0 when the runner did its work, even when jobs failed; with --fail, or client.run.failed_exit in the configuration, jobs that failed or did not finish make it 1.',
  inMemory: true,
  options: [
    ...runnerOptions,
    ...updateOptions,
    ...workflowSettingOptions,
    ...notifyOptions,
    option('--skip-checks', 'create despite warnings about resources'),
    option('--strict', 'turn warnings into errors: ignored nodes and keys, and unknown names in commands'),
    option('--resume', 'first make ready again the jobs that were interrupted: terminated or canceled'),
    option('--page', 'print the address of the page that shows this run in a browser; on a desktop, open it'),
    option('--retry-failed', 'like --resume, and make failed jobs ready again as well'),
  ],
  async run(context, [given], options) {
    const { output } = context;
    const goesOn = options.resume === true || options.retryFailed === true;
    refuseUpdateOptions(options, isSpec(given));
    if (goesOn && options.touch === true)
      throw new UsageError('--touch runs nothing, and --resume and --retry-failed make jobs ready to run');
    if (goesOn && options.only !== undefined)
      throw new UsageError(
        '--resume and --retry-failed make jobs ready that --only leaves alone; --only runs what failed or was interrupted among its jobs by itself',
      );
    if (goesOn && isSpec(given) && options.update !== true) refuseFile(context, given);
    let held: HeldSignals | undefined;
    let isUpToDate = false;
    let ofFile: Choice | undefined;
    const fromFile = async (): Promise<number | undefined> => {
      const plan = await planOfFile(context, given, options);
      loadRunnerMeanwhile();
      const chosen = await chooseUpdate(context, given, plan, options);
      if (chosen.kind === 'reported') return undefined;
      // Before anything is created: a folder that cannot be made leaves no workflow behind.
      makeOutputFolder(context, options.outputDir);
      if (chosen.kind === 'updated') {
        isUpToDate = chosen.looked;
        ofFile = chosen.choice;
        return chosen.id;
      }
      const { createAndReport, specFileOf } = await import('../../spec/read-spec.ts');
      const made = await createAndReport(context, plan, { specFile: specFileOf(given) });
      // Before the workflow is printed: a user who sees it may press Ctrl-C at once.
      held = holdSignals();
      output.notice(`Created workflow ${made}`);
      output.jsonLine({ message: `Created workflow ${made}`, workflow_id: made });
      return made;
    };
    const id = isSpec(given) ? await fromFile() : await existingWorkflow(context, given);
    if (id === undefined) return;
    const { force = [], only } = options;
    if (options.touch === true) return takeAsMade(context, id, options);
    if (options.dryRun === true) return reportRun(context, id, { force, only, rerunBy: options.rerunBy });
    held ??= holdSignals();
    const { client } = await context.service();
    if (!isSpec(given)) await setSettings(client, id, options);
    const workflow = await client.getWorkflow({ params: { id } });
    const again = options.retryFailed === true ? 'failed' : goesOn ? 'interrupted' : 'none';
    const report = reportPreparation(output);
    const isPrepared = isSpec(given) && (only === undefined || ofFile !== undefined);
    const isWanted = updatesUnasked(context, options);
    const outdated = isPrepared ? undefined : outdatedRule(context, id, { isWanted, force, only });
    if (ofFile !== undefined) await beginIfCanceled(client, id, report);
    else if (only !== undefined) await refuseWithout(client);
    const prepared = await prepareRun(client, id, { again, outdated, report });
    for (const each of prepared) reportPrepared(output, id, each, again === 'failed');
    if (goesOn) await sayAsked({ client, output, hint: context.hint, workflowId: id });

    const closePage = options.page === true ? await openPage(context, id, options.outputDir) : () => {};
    const choice = ofFile ?? prepared.find((each) => each.kind === 'chosen')?.choice;
    const ofRunner = { ...options, choice: choice?.number };
    const endMessages = await beginMessages(context, { client, workflowId: id, given: options.notify });
    const all = await runWorkflow(context, id, ofRunner, undefined, undefined, held).finally(closePage);
    const summary = choice === undefined ? all : await summaryOf(client, id, all, choice);
    const { endRun } = await import('../../run/end-of-run.ts');
    const failsWithJobs = options.fail === true;
    const known = isUpToDate ? 0 : outdatedIn(prepared);
    const chosen = choice && { words: only ?? [], others: choice.others };
    const ended = { client, workflow: { ...workflow, id }, summary, outdated: known, chosen, options, failsWithJobs };
    const isWell = await endRun(context, ended);
    await endMessages();
    // Of a workflow that this command created first of all: its user may not know yet where things are.
    const isFirst = id === 1 && prepared.some(({ kind }) => kind === 'initialized');
    if (isWell && isFirst && summary.ending === 'complete')
      output.notice(
        `The jobs wrote their output to ${options.outputDir}/${STDIO_FOLDER}; their times and memory: ${context.hint('torc results list 1')}`,
      );
  },
});

/** Loaded where it is needed. */
async function takeAsMade(...given: Parameters<typeof touchWorkflow>): Promise<void> {
  const { touchWorkflow: touch } = await import('./touch.ts');
  await touch(...given);
}

/** Loaded where it is needed: most runs choose nothing. */
async function refuseWithout(client: Client): Promise<void> {
  const { refuseWithoutChoices } = await import('../../../operations/update/choice.ts');
  await refuseWithoutChoices(client);
}

async function summaryOf(...given: [Client, number, RunSummary, Choice]): Promise<RunSummary> {
  const { chosenSummary } = await import('../../../operations/report/views/chosen-summary.ts');
  return chosenSummary(...given);
}

async function openPage(...given: [Context, number, string]): Promise<() => void> {
  const { showPage } = await import('./show-page.ts');
  return showPage(...given);
}

function refuseFile({ hint }: Context, given: string): never {
  throw new UsageError(
    `--resume and --retry-failed need the id of a workflow, or --update with its file, found the file '${given}'; ids: ${hint('torc workflows list')}`,
  );
}
