import type { Command } from '../command.ts';
import { serverExport } from './server-export.ts';
import { serverRun } from './server-run.ts';
import { serviceCommands } from './server-service.ts';

/** Every command of `torc-server`. */
export const serverCommands: readonly Command[] = [serverRun, ...serviceCommands, serverExport];
