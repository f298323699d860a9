import { chooseWorkflow, latestWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { numberOption, option } from '../../command/option.ts';

export const top = command('top [workflow]', {
  says: 'Show what a workflow does now, until it ends.',
  more:
    'Jobs by status, how fast they end and how long the rest takes, the running jobs with the CPUs and the memory that they use and asked for, and why others ' +
    'wait. CPUs and memory are measured for jobs of this machine. Without a workflow: the newest one of the user. On a terminal the picture ' +
    'is drawn again in its place; elsewhere a new one follows when something changes, with -f json as one line. Exits with 0 when all jobs completed, with 1 when ' +
    'the workflow ended otherwise, and with 130 after Ctrl-C; with --once with 0.',
  options: [
    option('--once', 'show it once and exit'),
    option('--interval <s>', 'seconds between two looks (default 2; 5 where the output is no terminal)', {
      read: numberOption(0.25),
    }),
  ],
  async run(context, [given], { once, interval }) {
    const id = given === undefined ? await latestWorkflow(context) : await chooseWorkflow(context, given);
    const { showTop } = await import('./show-top.ts');
    await showTop(context, id, { once: once === true, intervalSeconds: interval });
  },
});
