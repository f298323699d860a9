import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { runUserProgram } from './program.ts';

interface AgentOptions {
  /** The command of the agent; it gets the request on its standard input. */
  readonly agent: string;
  readonly outputDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Jobs that are named in the request. */
const SHOWN = 50;

/**
 * Asks an agent, which is a program of the user, to decide about the jobs that wait for a decision. It uses the commands
 * of torc, as a person would. Returns how many jobs there were.
 */
export async function askAgent(client: Client, workflowId: number, options: AgentOptions): Promise<number> {
  const query = { workflow_id: workflowId, status: 'pending_failed' as const };
  const jobs = await all((page) => client.listJobs({ query: { ...query, ...page } }));
  if (jobs.length === 0) return 0;
  const { agent, outputDir, environment } = options;
  const input = [
    `Workflow ${workflowId} of torc has ${jobs.length} job(s) with status pending_failed: each failed, and a person has to decide about it.`,
    `The output of each is below ${outputDir}; torc jobs explain ID and torc jobs output ID show what happened.`,
    'For a failure that may not happen again (network, busy file system, node failure): torc jobs reset-status ID --reinit --no-prompts',
    'Leave the others as they are, and say why.',
    'Jobs:',
    ...jobs.slice(0, SHOWN).map(({ id, name }) => `- ${id} ${name}`),
    ...(jobs.length > SHOWN
      ? [`- and ${jobs.length - SHOWN} more: torc jobs list ${workflowId} --status pending_failed`]
      : []),
    '',
  ].join('\n');
  // Of the agents that are programs, this one answers a request on its standard input only with an option.
  const more = /(^|\/)claude$/.test(agent.trim()) ? ['-p'] : [];
  await runUserProgram({ command: agent, more, input, environment });
  return jobs.length;
}
