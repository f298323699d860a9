import type { CommandGroup } from '../command.ts';
import { sonarGroups } from './sonar/all.ts';

/**
 * The commands of `torc` by their first word, in the order of its help. A command line loads those of the words in it
 * alone: all of them together take five times as long to load as `jobs list`.
 */
export const torcGroups: readonly CommandGroup[] = [
  { word: 'create', load: async () => [(await import('./create.ts')).create] },
  { word: 'run', load: async () => [(await import('./run.ts')).run] },
  { word: 'exec', load: async () => [(await import('./exec.ts')).exec] },
  { word: 'import', load: async () => (await import('./import.ts')).importCommands },
  { word: 'submit', load: async () => [(await import('./submit.ts')).submit] },
  { word: 'recover', load: async () => [(await import('./recover/recover.ts')).recover] },
  { word: 'watch', load: async () => [(await import('./watch/watch.ts')).watch] },
  { word: 'status', load: async () => [(await import('./status.ts')).status] },
  { word: 'top', load: async () => [(await import('./top.ts')).top] },
  { word: 'page', load: async () => [(await import('./page.ts')).pageCommand] },
  { word: 'tui', load: async () => [(await import('./tui.ts')).tui] },
  { word: 'cancel', load: async () => [(await import('./cancel-delete.ts')).cancel] },
  { word: 'delete', load: async () => [(await import('./cancel-delete.ts')).remove] },
  { word: 'workflows', load: async () => (await import('./workflows/all.ts')).workflowCommands },
  { word: 'jobs', load: async () => (await import('./jobs/all.ts')).jobCommands },
  { word: 'results', load: async () => (await import('./results.ts')).resultCommands },
  { word: 'files', load: async () => (await import('./files.ts')).fileCommands },
  {
    word: 'user-data',
    load: async () => [
      ...(await import('./user-data.ts')).userDataCommands,
      ...(await import('./user-data-change.ts')).userDataChanges,
    ],
  },
  { word: 'events', load: async () => (await import('./events.ts')).eventCommands },
  { word: 'compute-nodes', load: async () => (await import('./compute-nodes.ts')).computeNodeCommands },
  {
    word: 'scheduled-compute-nodes',
    load: async () => (await import('./scheduled-compute-nodes.ts')).scheduledComputeNodeCommands,
  },
  { word: 'slurm', load: async () => (await import('./slurm/all.ts')).slurmCommands },
  { word: 'logs', load: async () => (await import('./logs.ts')).logsCommands },
  { word: 'hpc', load: async () => (await import('./hpc/profiles.ts')).hpcCommands },
  {
    word: 'resource-requirements',
    load: async () => (await import('./resource-requirements.ts')).resourceRequirementCommands,
  },
  { word: 'failure-handlers', load: async () => (await import('./failure-handlers.ts')).failureHandlerCommands },
  { word: 'job-dependencies', load: async () => (await import('./job-dependencies.ts')).jobDependencyCommands },
  {
    word: 'access-groups',
    load: async () => [
      ...(await import('./access-groups.ts')).accessGroupCommands,
      ...(await import('./access-group-change.ts')).accessGroupChanges,
    ],
  },
  { word: 'share', load: async () => [(await import('./share.ts')).share] },
  { word: 'remote', load: async () => (await import('./remote/remote.ts')).remoteCommands },
  { word: 'ro-crate', load: async () => (await import('./ro-crate.ts')).roCrateCommands },
  ...sonarGroups,
  { word: 'tasks', load: async () => (await import('./tasks.ts')).taskCommands },
  { word: 'admin', load: async () => (await import('./admin.ts')).adminCommands },
  { word: 'monitor-node', load: async () => [(await import('./monitor-node.ts')).monitorNode] },
  { word: 'plot-resources', load: async () => [(await import('./plot-resources.ts')).plotResources] },
  { word: 'ping', load: async () => [(await import('./ping.ts')).ping] },
  { word: 'completions', load: async () => [(await import('./completions.ts')).completions] },
  { word: 'config', load: async () => (await import('./config.ts')).configCommands },
];
