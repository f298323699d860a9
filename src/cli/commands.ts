import type { Command } from './command.ts';

/**
 * The commands of each program. A program loads its own table and no other: what the commands of `torc` import takes longer
 * to load than `torc-htpasswd` takes to run.
 */
const tables: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  torc: async () => (await import('./commands/torc.ts')).torcCommands,
  'torc-server': async () => (await import('./commands/server.ts')).serverCommands,
  'torc-slurm-job-runner': async () => [(await import('./commands/slurm-runner.ts')).slurmRunner],
  'torc-htpasswd': async () => (await import('./commands/htpasswd.ts')).htpasswdCommands,
};

/** Every command of a program. */
export const commandsOf = async (program: string): Promise<readonly Command[]> =>
  (tables[program] ?? (tables['torc'] as () => Promise<readonly Command[]>))();

/** What a group of commands is about. */
export const groups: Readonly<Record<string, string>> = {
  workflows: 'Workflows: list, initialize, reset, export and more.',
  jobs: 'Jobs: list, change, run again.',
  results: 'What came of each attempt at a job.',
  files: 'Files that jobs read and write.',
  'user-data': 'Values that jobs read and write through the server.',
  events: 'What happened to a workflow, and what happens.',
  'compute-nodes': 'Runners, past and present.',
  'scheduled-compute-nodes': 'Allocations that were asked for.',
  'resource-requirements': 'What jobs need.',
  'failure-handlers': 'What is done when jobs fail.',
  'job-dependencies': 'Which jobs wait for which.',
  'access-groups': 'Groups of users, and what they see.',
  'ro-crate': 'What the research object says of a workflow and its files.',
  tasks: 'What the server carries out after its answers.',
  admin: 'The server itself: logins, SQL, traffic.',
  config: 'Configuration files.',
  service: 'The server as a service of systemd.',
};
