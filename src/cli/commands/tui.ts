import { chooseWorkflow } from '../choose/choose-workflow.ts';
import { command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { option } from '../command/option.ts';

export const tui = command('tui [workflow]', {
  says: 'Look at workflows on the whole terminal, live.',
  more:
    'Workflows above; below the views of one of them: summary, jobs, running jobs, results, files, user data, events, runners, allocations, accounting of Slurm, graph. ' +
    '? lists the keys: Enter opens a workflow, Tab goes to the next view, w explains a job, l shows what it writes, C cancels it, : runs a command of torc, / searches, q ends. ' +
    'Torc 1.0 has the same views and keys; docs/reference/tui.md says what differs.',
  options: [
    option('-o, --output-dir <folder>', 'output folder of the runs, for the last lines of jobs', {
      setting: 'client.run.output_dir',
    }),
  ],
  async run(context, [given], { outputDir }) {
    const { settings, environment, hint } = context;
    if (process.stdin.isTTY !== true || process.stdout.isTTY !== true || environment['TERM'] === 'dumb')
      throw new Failure(`torc tui needs a terminal; ${hint('torc top')} prints what a workflow does`);
    const { connection, url } = await context.service();
    const workflowId = given === undefined ? undefined : await chooseWorkflow(context, given);
    const { partitionsHere } = await import('../slurm/hpc-profile.ts');
    const { openTui } = await import('../../tui/open-tui.ts');
    const { stdin: input, stdout: output } = process;
    const exitCode = await openTui({
      connection,
      url,
      user: settings.user,
      environment,
      outputDir,
      hint,
      partitions: () => partitionsHere(context),
      workflowId,
      input,
      output,
    });
    context.exitWith(exitCode);
  },
});
