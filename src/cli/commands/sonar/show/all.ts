import type { Command } from '../../../command/command.ts';
import { showJobs, showQueue } from './jobs.ts';
import { showLoad } from './load.ts';
import { showProfile } from './profile.ts';
import { showUptime } from './uptime.ts';
import { showCards, showNodes } from './nodes.ts';
import { showReport } from './report.ts';

/** `torc sonar show`: a few questions a file. */
export const showCommands: readonly Command[] = [
  showJobs,
  showLoad,
  showProfile,
  showUptime,
  showNodes,
  showCards,
  showQueue,
  showReport,
];
