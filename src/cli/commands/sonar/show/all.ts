import type { Command } from '../../../command/command.ts';
import { showJobs } from './jobs.ts';
import { showLoad } from './load.ts';
import { showProfile } from './profile.ts';
import { showUptime } from './uptime.ts';
import { showNodes } from './nodes.ts';
import { showCards } from './cards.ts';
import { showQueue } from './queue.ts';
import { showReport } from './report.ts';

/** `torc sonar show`: one file a question. */
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
