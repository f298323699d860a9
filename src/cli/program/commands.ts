import type { Command, CommandGroup } from '../command/command.ts';

/**
 * The commands of each program. A program loads only its own table: loading the commands of `torc` takes longer than
 * `torc-htpasswd` takes to run.
 */
const tables: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  'torc-slurm-job-runner': async () => [(await import('../commands/slurm-runner.ts')).slurmRunner],
  'torc-htpasswd': async () => (await import('../commands/htpasswd/htpasswd.ts')).htpasswdCommands,
  'torc-dash': async () => [(await import('../commands/dash.ts')).dash],
  'torc-mcp-server': async () => [(await import('../commands/mcp-server.ts')).mcpServer],
};

/** Those of the server in groups, as those of `torc`: a run is waited for, and needs none of the others. */
const serverGroups: readonly CommandGroup[] = [
  { word: 'run', isDefault: true, load: async () => [(await import('../commands/server/run.ts')).serverRun] },
  { word: 'service', load: async () => (await import('../commands/server/service-commands.ts')).serviceCommands },
  { word: 'export', load: async () => [(await import('../commands/server/export.ts')).serverExport] },
  { word: 'check', load: async () => [(await import('../commands/server/check.ts')).serverCheck] },
  { word: 'backup', load: async () => [(await import('../commands/server/backup.ts')).serverBackup] },
  { word: 'restore', load: async () => [(await import('../commands/server/backup.ts')).serverRestore] },
];

/** Commands that programs call and people do not: help, completion and the reference leave them out. */
const internal: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  'remote-agent': async () => [(await import('../commands/remote/host-task.ts')).hostTask],
};

/** Every command of a program. */
export const commandsOf = async (program: string): Promise<readonly Command[]> =>
  (await Promise.all((await groupsOf(program)).map(({ load }) => load()))).flat();

/**
 * The commands of a program that these arguments can mean: those whose first word is among them, and all if none is. The
 * others are listed by their first word alone. Of a word whose verbs are loaded apart, those of the verbs among the
 * arguments, and all if none is or if help is asked for, which lists them.
 */
export async function commandsFor(program: string, argv: readonly string[]): Promise<readonly (Command | string)[]> {
  const own = program === 'torc' ? internal[argv[0] ?? ''] : undefined;
  if (own !== undefined) return own();
  const isGiven = (word: string) => argv.includes(word);
  const groups = await groupsOf(program);
  if (!groups.some(({ word }) => isGiven(word))) return commandsOf(program);
  const hasVerb = new Set(groups.filter(({ verb }) => verb !== undefined && isGiven(verb)).map(({ word }) => word));
  const isMeant = ({ word, verb, isDefault }: CommandGroup) =>
    isDefault === true ||
    (isGiven(word) && (verb === undefined || isGiven(verb) || !hasVerb.has(word) || asksForHelp(argv)));
  const parts = groups.map(async (group) => (isMeant(group) ? group.load() : isGiven(group.word) ? [] : [group.word]));
  return (await Promise.all(parts)).flat();
}

/**
 * Those of the commands that the arguments can mean: the ones that have all their words among them. All, if there is none;
 * not where help is asked for, which lists them.
 */
export function meantAmong(commands: readonly Command[], argv: readonly string[]): readonly Command[] {
  const named = commands.filter(({ words }) =>
    words.split(' ').every((word) => !/^[a-z]/.test(word) || argv.includes(word)),
  );
  if (named.length === 0 && !asksForHelp(argv)) return commands;
  return [...named, ...commands.filter(({ isDefault }) => isDefault === true)];
}

export const asksForHelp = (argv: readonly string[]): boolean =>
  ['help', '-h', '--help'].some((word) => argv.includes(word));

/** Of `torc` and the server the groups; of another program one group for each command. */
async function groupsOf(program: string): Promise<readonly CommandGroup[]> {
  if (program === 'torc-server') return serverGroups;
  const table = tables[program];
  if (table === undefined) return (await import('./torc.ts')).torcGroups;
  return (await table()).map((command) => ({
    word: command.words.split(' ')[0] as string,
    isDefault: command.isDefault === true,
    load: () => Promise.resolve([command]),
  }));
}

/** The description of each group of commands, by all of its words. */
export const groups: Readonly<Record<string, string>> = {
  import: 'Converters: files of other programs become workflow files.',
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
  logs: 'Logs of workflows: bundles, failures in them.',
  'resource-requirements': 'Resource requirements of jobs.',
  'failure-handlers': 'Rules for failed jobs.',
  'job-dependencies': 'Dependencies between jobs.',
  'access-groups': 'Groups of users, and the workflows that they may see.',
  remote: 'Runners on hosts that ssh reaches.',
  sonar: 'HPC telemetry in the format of Sonar: nodes, processes, GPUs and Slurm jobs.',
  'sonar clusters': 'Clusters whose envelopes are stored.',
  'sonar show': 'What nodes, jobs, cards and users did, from the store.',
  'ro-crate': 'The research object (RO-Crate) of a workflow.',
  notify: 'Messages about workflows: test receivers, list what was sent.',
  tasks: 'Background tasks of the server.',
  admin: 'The server itself: logins, SQL, traffic.',
  config: 'Configuration files.',
  self: 'This installation of torc: update it, and return.',
  service: 'The server as a systemd service.',
};
