import type { Command } from './command.ts';

/**
 * The commands of each program. A program loads only its own table: loading the commands of `torc` takes longer than
 * `torc-htpasswd` takes to run.
 */
const tables: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  torc: async () => (await import('./commands/torc.ts')).torcCommands,
  'torc-server': async () => (await import('./commands/server.ts')).serverCommands,
  'torc-slurm-job-runner': async () => [(await import('./commands/slurm-runner.ts')).slurmRunner],
  'torc-htpasswd': async () => (await import('./commands/htpasswd.ts')).htpasswdCommands,
};

/** Commands that programs call and people do not: help, completion and the reference leave them out. */
const internal: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  'remote-agent': async () => [(await import('./commands/remote/agent.ts')).remoteAgent],
};

/** The commands among which these arguments choose. */
export const commandsFor = async (program: string, argv: readonly string[]): Promise<readonly Command[]> =>
  (program === 'torc' ? await internal[argv[0] ?? '']?.() : undefined) ?? commandsOf(program);

/** Every command of a program. */
export const commandsOf = async (program: string): Promise<readonly Command[]> =>
  (tables[program] ?? (tables['torc'] as () => Promise<readonly Command[]>))();

/** The description of each group of commands. */
export const groups: Readonly<Record<string, string>> = {
  workflows: 'Workflows: list, initialize, reset, export and more.',
  jobs: 'Jobs: list, change, run again.',
  results: 'Results of job attempts.',
  files: 'Files that jobs read and write.',
  'user-data': 'Values that jobs read and write through the server.',
  events: 'Events of a workflow, past and live.',
  'compute-nodes': 'Runners, past and present.',
  'scheduled-compute-nodes': 'Requested allocations.',
  slurm: 'Slurm: schedulers, allocations, accounting.',
  hpc: 'HPC systems: profiles, partitions.',
  'resource-requirements': 'Resource requirements of jobs.',
  'failure-handlers': 'Rules for failed jobs.',
  'job-dependencies': 'Dependencies between jobs.',
  'access-groups': 'Groups of users, and the workflows that they may see.',
  remote: 'Runners on hosts that ssh reaches.',
  'ro-crate': 'The research object (RO-Crate) of a workflow.',
  tasks: 'Background tasks of the server.',
  admin: 'The server itself: logins, SQL, traffic.',
  config: 'Configuration files.',
  service: 'The server as a systemd service.',
};
