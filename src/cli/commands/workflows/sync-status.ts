import type { CorrectTools } from '../../../operations/orphans/correct-records.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { cleanedJson, cleanedText } from '../../output/cleaned.ts';
import { option } from '../../command/option.ts';

export const workflowsSyncStatus = command('workflows sync-status [workflow]', {
  says: 'Correct the records of jobs, runners and allocations that have ended without a report.',
  more:
    'Asks the batch system, the hosts of the workflow and the process table of this machine. Before a job fails, its end is looked for in journals, ' +
    'in ledgers of runners and in the accounting of Slurm; finished work is kept. What cannot be asked is left as it is.',
  options: [
    option('--dry-run', 'only show what would change'),
    option('-o, --output-dir <folder>', 'output folder of the runners, where their journals are', {
      default: 'torc_output',
    }),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('sync-status');
    const id = await chooseWorkflow(context, given);
    const isDryRun = options.dryRun === true;
    const { correctRecords, findDead } = await import('../../../operations/orphans/correct-records.ts');
    const { remoteService, storedWorkers } = await import('../../remote-hosts.ts');
    const { client } = await context.service();
    const tools: CorrectTools = {
      client,
      environment: context.environment,
      outputDir: options.outputDir,
      hosts: async () => ({ workers: await storedWorkers(client, id), service: await remoteService(context) }),
      onNotice: (message) => output.notice(message),
    };
    const { cleaned, lostRunners } = isDryRun
      ? await findDead(tools, id, { asksHosts: false })
      : await correctRecords(tools, id);
    for (const warning of cleaned.warnings) output.warn(warning);
    output.record(
      'sync-status',
      cleanedJson(cleaned, lostRunners, isDryRun),
      cleanedText(cleaned, lostRunners, isDryRun),
    );
    if (!isDryRun && cleaned.failed.length > 0)
      output.notice(`You can now run \`${context.hint(`torc recover ${id}`)}\` to retry failed jobs.`);
  },
});
