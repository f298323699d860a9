import { existsSync, statSync } from 'node:fs';
import type { Command } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import type { Values } from '../option.ts';
import type { Context } from '../context.ts';
import { prepareRun } from '../../operations/run.ts';
import { tellPreparation, tellResumed } from '../output/preparation.ts';
import { runnerOptions, runWorkflow } from '../run-workflow.ts';

export const run: Command = {
  words: 'run <spec-or-id>',
  says: 'Run a workflow on this machine: a file, standard input ("-"), or an existing workflow by its id.',
  more: 'Exits with 0 when the runner did its work, even when jobs failed; with --fail, jobs that failed or did not finish make it 1.',
  inMemory: true,
  options: [
    ...runnerOptions,
    { flags: '--skip-checks', says: 'create despite warnings about resources' },
    {
      flags: '--strict',
      says: 'turn warnings into errors: ignored nodes and keys, and unknown names in commands',
    },
    { flags: '--resume', says: 'first make ready again the jobs that were interrupted: terminated or canceled' },
    { flags: '--retry-failed', says: 'the same, and the jobs that failed as well' },
  ],
  async run(context, [given], options) {
    const { output } = context;
    const goesOn = options['resume'] === true || options['retryFailed'] === true;
    if (goesOn && isSpec(given as string)) refuseFile(context, given as string);
    const id = isSpec(given as string) ? await createIt(context, given as string, options) : existing(given as string);
    const { client } = await context.service();
    const workflow = await client.getWorkflow({ params: { id } });
    const again = options['retryFailed'] === true ? 'failed' : goesOn ? 'interrupted' : 'none';
    const resumed = await prepareRun(client, id, { again, tell: tellPreparation(output) });
    if (resumed !== undefined) tellResumed(output, id, resumed, again === 'failed');

    const summary = await runWorkflow(context, id, options);
    const { endRun } = await import('../end-of-run.ts');
    const failsWithJobs = options['fail'] === true;
    await endRun(context, { client, workflow: { ...workflow, id }, summary, options, failsWithJobs });
  },
};

/** A file, by its name or because it exists; anything else must be an id. */
function isSpec(given: string): boolean {
  return given === '-' || /\.(ya?ml|json5?|kdl)$/i.test(given) || (existsSync(given) && statSync(given).isFile());
}

function refuseFile({ hint }: Context, given: string): never {
  throw new UsageError(
    `--resume and --retry-failed need the id of a workflow, found the file '${given}'; ids: ${hint('torc workflows list')}`,
  );
}

function existing(given: string): number {
  const id = Number(given);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new Failure(`'${given}' is neither a valid workflow spec file nor a workflow ID`);
}

async function createIt(context: Context, path: string, options: Values): Promise<number> {
  const { output } = context;
  const { readSpecFile, acceptedPlan, createTold } = await import('../read-spec.ts');
  const reading = readSpecFile(path, context.settings, { strict: options['strict'] === true });
  const plan = await acceptedPlan(context, reading, { skipChecks: options['skipChecks'] === true });
  const id = await createTold(context, plan, { monitorsJobs: true });
  output.notice(`Created workflow ${id}`);
  output.jsonLine({ message: `Created workflow ${id}`, workflow_id: id });
  return id;
}
