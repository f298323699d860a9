import { hostname } from 'node:os';
import type { Client } from '../../client/client.ts';
import type { Workflow } from '../../core/contract/workflow.ts';

/** Takes back what runners of this host held that were killed. Returns how many there were. */
export async function recoverHere(
  client: Client,
  { id, run_id: runId }: Workflow,
  /** Called when one could not be recovered completely; the message says what is left to do. */
  onWarning: (message: string) => void,
): Promise<number> {
  const { recoverLostRunners } = await import('../../runner/recover/lost-runners.ts');
  const log = {
    write(level: string, words: string, fields: Readonly<Record<string, unknown>> = {}) {
      if (level !== 'warn' && level !== 'error') return;
      const about = Object.entries(fields).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`);
      onWarning(about.length > 0 ? `${words} (${about.join('; ')})` : words);
    },
    close: () => {},
  };
  return recoverLostRunners({ client, workflowId: id, runId: runId ?? 0, hostname: hostname(), log });
}
