import { Refusal } from '../../core/contract/refusals.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { Waiting } from './layer.ts';
import type { Path } from './schema.ts';

/** A command would use a key of a file that its user does not trust. */
export const notTrusted = (key: Path, place: string, { path, isChanged }: Waiting): Refusal =>
  new Refusal(
    'CONFIG_NOT_TRUSTED',
    `${place}: ${key} counts only in a file that you trust, and ${
      isChanged
        ? 'the file has changed since you trusted it'
        : 'this one may have come with the folder from another person'
    }. Nothing was done. Trust it as it is now: ${trustCommand(path)}`,
    { key, place, path },
  );

/** What a user types so that the file counts. */
export const trustCommand = (path: string): string => `torc config trust ${shellWord(path)}`;
