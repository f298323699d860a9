import type { Command } from '../../command/command.ts';
import { remoteCollectLogs, remoteDeleteLogs } from './logs.ts';
import { remoteRun } from './run.ts';
import { remoteRecover, remoteStatus, remoteStop } from './status.ts';
import { workerCommands } from './workers.ts';

export const remoteCommands: readonly Command[] = [
  ...workerCommands,
  remoteRun,
  remoteStatus,
  remoteStop,
  remoteRecover,
  remoteCollectLogs,
  remoteDeleteLogs,
];
