import type { Command } from '../../command.ts';
import { sample } from './sample.ts';
import { sysinfo } from './sysinfo.ts';
import { validate } from './validate.ts';

/** `torc sonar`: one file a verb. */
export const sonarCommands: readonly Command[] = [sample, sysinfo, validate];
