import type { Command } from '../../command.ts';
import { validate } from './validate.ts';

/** `torc sonar`: one file a verb. */
export const sonarCommands: readonly Command[] = [validate];
