import type { CommandGroup } from '../../command/command.ts';

/** `torc sonar`: one file a verb. Each is loaded alone: `sonar sample` runs each minute, and the others are ten times its size. */
export const sonarGroups: readonly CommandGroup[] = [
  // what produces envelopes
  { word: 'sonar', verb: 'sample', load: async () => [(await import('./sample.ts')).sample] },
  { word: 'sonar', verb: 'sysinfo', load: async () => [(await import('./sysinfo.ts')).sysinfo] },
  { word: 'sonar', verb: 'jobs', load: async () => [(await import('./jobs.ts')).jobs] },
  { word: 'sonar', verb: 'cluster', load: async () => [(await import('./cluster.ts')).cluster] },
  { word: 'sonar', verb: 'daemon', load: async () => [(await import('./daemon.ts')).daemon] },
  // what keeps them
  { word: 'sonar', verb: 'validate', load: async () => [(await import('./validate.ts')).validate] },
  { word: 'sonar', verb: 'ingest', load: async () => [(await import('./ingest.ts')).ingest] },
  { word: 'sonar', verb: 'consume', load: async () => [(await import('./consume.ts')).consume] },
  { word: 'sonar', verb: 'export', load: async () => [(await import('./export.ts')).exportEnvelopes] },
  { word: 'sonar', verb: 'close', load: async () => [(await import('./close.ts')).closeDaysCommand] },
  { word: 'sonar', verb: 'prune', load: async () => [(await import('./prune.ts')).pruneStore] },
  { word: 'sonar', verb: 'clusters', load: async () => (await import('./clusters.ts')).clusterCommands },
  // what is asked of them
  { word: 'sonar', verb: 'show', load: async () => (await import('./show/all.ts')).showCommands },
];
