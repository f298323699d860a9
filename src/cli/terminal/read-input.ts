import { readUserText } from '../../operations/create/read-user-text.ts';
import { Failure } from '../command/failure.ts';

/** The text of a file, or of standard input for `-`; `what` names the expected content in the message. */
export function readInput(path: string, what: string): string {
  if (path === '-' && process.stdin.isTTY === true)
    throw new Failure(`${what} is expected on standard input, and that is a terminal`);
  try {
    return readUserText(path === '-' ? 0 : path);
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (cause as Error).message;
    throw new Failure(`cannot read ${what} from ${path}: ${why}`, { cause });
  }
}

/** Lines of a file of commands, or of standard input, without blank lines and comments. */
export const readCommands = (path: string): string[] =>
  readInput(path, 'commands')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
