import type { CommandGroup } from '../command/command.ts';
import { sonarGroups } from '../commands/sonar/all.ts';

/**
 * The commands of `torc` by their first word, in the order of its help. A command line loads those of the words in it
 * alone: all of them together take five times as long to load as `jobs list`.
 */
export const torcGroups: readonly CommandGroup[] = [
  { word: 'create', load: async () => [(await import('../commands/create.ts')).create] },
  { word: 'run', load: async () => [(await import('../commands/run/run.ts')).run] },
  { word: 'exec', load: async () => [(await import('../commands/exec/exec.ts')).exec] },
  { word: 'import', load: async () => (await import('../commands/import/import.ts')).importCommands },
  { word: 'submit', load: async () => [(await import('../commands/submit.ts')).submit] },
  { word: 'recover', load: async () => [(await import('../commands/recover/recover.ts')).recover] },
  { word: 'watch', load: async () => [(await import('../commands/watch/watch.ts')).watch] },
  { word: 'status', load: async () => [(await import('../commands/status/status.ts')).status] },
  { word: 'top', load: async () => [(await import('../commands/status/top.ts')).top] },
  { word: 'page', load: async () => [(await import('../commands/page.ts')).pageCommand] },
  { word: 'tui', load: async () => [(await import('../commands/tui.ts')).tui] },
  { word: 'cancel', load: async () => [(await import('../commands/cancel.ts')).cancel] },
  { word: 'delete', load: async () => [(await import('../commands/delete.ts')).remove] },
  {
    word: 'workflows',
    load: async () => [
      (await import('../commands/status/status.ts')).workflowsStatus,
      ...(await import('../commands/workflows/all.ts')).workflowCommands,
    ],
  },
  { word: 'jobs', load: async () => (await import('../commands/jobs/all.ts')).jobCommands },
  { word: 'results', load: async () => (await import('../commands/results.ts')).resultCommands },
  { word: 'files', load: async () => (await import('../commands/files.ts')).fileCommands },
  {
    word: 'user-data',
    load: async () => [
      ...(await import('../commands/user-data/user-data.ts')).userDataCommands,
      ...(await import('../commands/user-data/change.ts')).userDataChanges,
    ],
  },
  { word: 'events', load: async () => (await import('../commands/events/events.ts')).eventCommands },
  { word: 'compute-nodes', load: async () => (await import('../commands/compute-nodes.ts')).computeNodeCommands },
  {
    word: 'scheduled-compute-nodes',
    load: async () => (await import('../commands/scheduled-compute-nodes.ts')).scheduledComputeNodeCommands,
  },
  { word: 'slurm', load: async () => (await import('../commands/slurm/all.ts')).slurmCommands },
  { word: 'logs', load: async () => (await import('../commands/logs.ts')).logsCommands },
  { word: 'hpc', load: async () => (await import('../commands/hpc.ts')).hpcCommands },
  {
    word: 'resource-requirements',
    load: async () => (await import('../commands/resource-requirements.ts')).resourceRequirementCommands,
  },
  {
    word: 'failure-handlers',
    load: async () => (await import('../commands/failure-handlers.ts')).failureHandlerCommands,
  },
  {
    word: 'job-dependencies',
    load: async () => (await import('../commands/job-dependencies.ts')).jobDependencyCommands,
  },
  {
    word: 'access-groups',
    load: async () => [
      ...(await import('../commands/access-groups/access-groups.ts')).accessGroupCommands,
      ...(await import('../commands/access-groups/change.ts')).accessGroupChanges,
    ],
  },
  { word: 'share', load: async () => [(await import('../commands/share.ts')).share] },
  { word: 'remote', load: async () => (await import('../commands/remote/remote.ts')).remoteCommands },
  { word: 'ro-crate', load: async () => (await import('../commands/ro-crate/ro-crate.ts')).roCrateCommands },
  ...sonarGroups,
  { word: 'tasks', load: async () => (await import('../commands/tasks.ts')).taskCommands },
  { word: 'admin', load: async () => (await import('../commands/admin/admin.ts')).adminCommands },
  { word: 'monitor-node', load: async () => [(await import('../commands/monitor-node.ts')).monitorNode] },
  { word: 'report', load: async () => [(await import('../commands/report/report.ts')).report] },
  { word: 'compare', load: async () => [(await import('../commands/report/compare.ts')).compare] },
  { word: 'plot-resources', load: async () => [(await import('../commands/plot-resources.ts')).plotResources] },
  { word: 'notify', load: async () => (await import('../commands/notify.ts')).notifyCommands },
  { word: 'ping', load: async () => [(await import('../commands/ping.ts')).ping] },
  { word: 'completions', load: async () => [(await import('../commands/completions/completions.ts')).completions] },
  { word: 'config', load: async () => (await import('../commands/config.ts')).configCommands },
  { word: 'add', load: async () => [(await import('../commands/add.ts')).add] },
  { word: 'self', load: async () => (await import('../commands/self.ts')).selfCommands },
];
