import { hasBatch } from '../../cluster/open-batch.ts';
import { HelperFailed } from '../../cluster/helper-failed.ts';
import { SubmissionFailed } from '../../cluster/batch/batch-system.ts';
import { underLease } from '../../operations/submit/recovery-lease.ts';
import { openAllocations } from '../../operations/submit/cancel-allocations.ts';
import { unfinishedAllocations } from '../../operations/submit/finish-submissions.ts';
import { settleSubmissions } from '../../operations/submit/settle-submissions.ts';
import type { SubmitTools } from '../../operations/submit/submit-tools.ts';
import { knownWorkflow } from '../../client/compat/known.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import type { Source } from '../../core/workflow-file/text/read-text.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import { batchWords } from '../../core/allocation/batch-words.ts';
import { requestOf } from '../../core/allocation/request.ts';
import { fireActions } from '../../operations/submit/fire-actions.ts';
import { initialize } from '../../operations/run/initialize.ts';
import { noPrompts } from '../choose/agree.ts';
import { command } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { integerOption, option } from '../command/option.ts';
import { reportPreparation } from '../output/preparation.ts';
import { submitOptions } from '../slurm/slurm-options.ts';
import { stuckAllocations } from '../../operations/report/views/queue-lines.ts';
import { submitTools, warnOfLoopback } from '../slurm/slurm-tools.ts';
import { reportRefusedByBatch, reportUnrunnable } from '../slurm/before-submission.ts';
import { type WorkflowSettingValues, workflowSettingOptions } from '../command/workflow-settings.ts';
import { existingWorkflow, isSpec, planOfFile, setSettings } from '../spec/spec-or-id.ts';
import { namesOfServer, sayWhoGetsNone } from '../notify/begin.ts';

export const submit = command('submit <spec-or-id>', {
  says: 'Submit the allocations of a workflow: a file, standard input ("-"), or an existing workflow by its id or name.',
  makesDatabase: true,
  more:
    'Initializes the workflow if that has not happened, and carries out its actions schedule_nodes that are due. ' +
    'Run again after a failure, it submits what an interrupted command left, and nothing twice. Equal allocations are one job ' +
    'array where the batch system allows them. A file that has requirements of resources and says nothing of allocations gets those that ' +
    'torc slurm generate plans for the cluster here.',
  options: [
    option('-i, --ignore-missing-data', 'initialize even if input files are missing'),
    option('--skip-checks', 'create and submit despite warnings about resources'),
    option(
      '--account <account>',
      'account of the allocations of a file that names none (default: that of slurm_defaults, or of the configuration)',
    ),
    option('--max-parallel-jobs <n>', 'each runner runs this many jobs at once and ignores their requirements', {
      read: integerOption(1),
    }),
    ...workflowSettingOptions,
    option(
      '--notify <receiver>',
      'have the server send messages about the workflow to this receiver of its own; may be repeated',
      {
        many: true,
      },
    ),
    ...submitOptions,
    noPrompts,
  ],
  async run(context, [given], options) {
    const { output } = context;
    const receivers = namesOfServer(context, options.notify, ONLY_OF_SERVER);
    const made = await submitTools(context, options, 'submit');
    let held = 0;
    const tools: SubmitTools = {
      ...made,
      onHeld(found) {
        held += found.allocations;
        made.onHeld?.(found);
      },
    };
    const { client } = tools;
    const id = isSpec(given) ? await createFrom(context, given, options) : await existingWorkflow(context, given);
    if (!isSpec(given)) await setSettings(client, id, options);
    for (const receiver of receivers) await client.wantMessages({ params: { id }, body: { receiver } });
    const isLeft = (await unfinishedAllocations(client, id)).length > 0;
    if (!isLeft) await refuseWithoutActions(context, id);
    warnOfLoopback(context, tools.settings.url);

    // Another command that submits is waited for: then what it left is seen.
    const { settled, fired } = await underLease(
      client,
      { workflowId: id, command: 'submit', onWait: tools.onWarning },
      () => submitAll(context, tools, id, options),
    );
    const { jobIds, errors } = fired;
    for (const error of errors) output.error(error);
    const allocations = settled.length + jobIds.length;
    const isNothing = allocations + held === 0;
    // A runner of an allocation that an interrupted command submitted may have submitted the others.
    const open = isNothing && errors.length === 0 ? (await openAllocations(client, id)).length : 0;
    if (isNothing && open === 0) throw new Failure(nothing(context, id, errors));
    const message = isNothing
      ? `Nothing more to submit: ${open} allocation(s) of workflow ${id} wait or run`
      : `Successfully submitted workflow ${id} (${allocations} allocation(s))`;
    if (output.format === 'json') output.jsonLine({ message, workflow_id: id });
    else output.text(message);
    const { queuedAllocations } = await import('../../operations/submit/queued-allocations.ts');
    const queued = await knownWorkflow(client, id)
      .then(({ allocations }) => queuedAllocations(allocations, context.environment))
      .catch(() => []);
    for (const { line } of stuckAllocations(queued)) output.warn(line);
    await sayWhoGetsNone(context, client, id);
    if (errors.length > 0) context.exitWith(1);
  },
});

const ONLY_OF_SERVER =
  '--notify: submit ends at once, so the server sends, and it sends only to receivers of its own configuration; torc watch --notify sends to others while it lives';

async function createFrom(context: Context, path: string, options: Options): Promise<number> {
  const { createAndReport, specFileOf } = await import('../spec/read-spec.ts');
  const plan = await planOfFile(context, path, { ...options, strict: false }, (source, found) =>
    allocationsHere(context, { source, plan: found }, options),
  );
  const id = await createAndReport(context, plan, { specFile: specFileOf(path) });
  context.output.notice(`Created workflow ${id}`);
  return id;
}

/** The text of a file that says nothing of allocations, with those that the batch system here would run its jobs in. */
async function allocationsHere(
  context: Context,
  accepted: { readonly source: Source; readonly plan: Plan },
  { account }: Options,
): Promise<ValueMap | undefined> {
  if (!hasBatch(context.environment)) return undefined;
  const { withAllocations } = await import('../slurm/plan-file.ts');
  const made = await withAllocations(context, accepted, { account });
  if (made !== undefined) context.output.notice(made.lines.join('\n'));
  return made?.spec;
}

interface Options extends WorkflowSettingValues {
  readonly account?: string | undefined;
  readonly ignoreMissingData?: boolean | undefined;
  readonly skipChecks?: boolean | undefined;
  readonly maxParallelJobs?: number | undefined;
}

/** Finishes what an interrupted command left, initializes the workflow if that is needed, and carries out its actions. */
async function submitAll(context: Context, tools: SubmitTools, id: number, options: Options) {
  const { client } = tools;
  const settled = await settleSubmissions(tools, id).catch((cause: unknown) => {
    if (cause instanceof SubmissionFailed) throw new Failure(cause.message, { cause });
    if (!(cause instanceof HelperFailed)) throw cause;
    throw new Failure(
      `workflow ${id} has allocations whose submission was interrupted, and ${batchWords(tools.slurm.name).list} cannot say which exist, so nothing is submitted: ${cause.message}`,
      { cause },
    );
  });
  const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id } });
  if (isFresh)
    await initialize(client, id, {
      force: options.ignoreMissingData === true,
      report: reportPreparation(context.output),
    });
  // Who completes a submission has decided about its allocations before.
  const isForced = options.skipChecks === true || settled.length > 0;
  await reportUnrunnable(context, id, isForced || options.maxParallelJobs !== undefined);
  await reportRefusedByBatch(context, id, isForced);
  const fired = await fireActions(tools, id, { maxParallelJobs: options.maxParallelJobs });
  return { settled, fired };
}

async function refuseWithoutActions(context: Context, id: number): Promise<void> {
  const { client } = await context.service();
  const actions = await client.listWorkflowActions({ params: { id } });
  if (actions.some((action) => requestOf(action) !== undefined)) return;
  throw new Failure(
    [
      `Error: Cannot submit workflow ${id}: it has no action schedule_nodes, and nothing says what its allocations are.`,
      `  To run it on this machine: ${context.hint(`torc run ${id}`)}`,
      '  To add schedulers and actions to a workflow file: torc slurm generate --account ACCOUNT FILE',
      `  To submit allocations by hand: ${context.hint(`torc slurm schedule-nodes ${id}`)}`,
    ].join('\n'),
  );
}

function nothing(context: Context, id: number, errors: readonly string[]): string {
  if (errors.length > 0)
    return `No allocation was submitted. Once more: ${context.hint(`torc slurm schedule-nodes ${id}`)}`;
  return `No allocation was submitted: no action schedule_nodes of workflow ${id} is due. ${context.hint(`torc workflows list-actions ${id}`)} shows them; ${context.hint(`torc slurm schedule-nodes ${id}`)} submits more allocations`;
}
