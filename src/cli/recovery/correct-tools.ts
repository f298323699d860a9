import type { CorrectTools } from '../../operations/orphans/correct-records.ts';
import type { Context } from '../command/context.ts';

/** What a correction of records uses, from the options and the configuration of this command. */
export async function correctTools(context: Context, workflowId: number, outputDir: string): Promise<CorrectTools> {
  const { client } = await context.service();
  return {
    client,
    environment: context.environment,
    outputDir,
    async hosts() {
      const { remoteService, storedWorkers } = await import('../remote-hosts.ts');
      return { workers: await storedWorkers(client, workflowId), service: await remoteService(context) };
    },
    onNotice: (message) => context.output.notice(message),
  };
}
