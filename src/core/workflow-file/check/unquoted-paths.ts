import type { Draft } from '../link/draft.ts';
import { quoteContexts } from '../expand/shell-quote.ts';
import { templateOf } from '../expand/template.ts';
import type { FilePaths } from '../link/file-paths.ts';
import { tokenParts } from '../link/tokens.ts';
import type { Complain } from '../problems/problems.ts';

/** A value in the middle of a sweep may have a blank, too; so many instances take milliseconds, and a million would take seconds. */
const MOST_LOOKED_AT = 1_000;

/**
 * Warnings about `${files.input.x}` outside of quotes where the path has a blank, or another character with which it stops being
 * one word: the program gets two names, and the file of neither.
 *
 * The path is not quoted for the user: commands of Torc 1.0.0 may quote it themselves, and a path such as `$SCRATCH/x` is meant
 * to be read by the shell.
 */
export function checkUnquotedPaths({ jobs, files }: Draft, paths: FilePaths, complain: Complain): void {
  for (const family of jobs.families.all) {
    const { command } = family.spec;
    if (command === undefined) continue;
    for (const { name, part } of unquotedTokens(command)) {
      const template = templateOf(name, family.axes);
      for (let at = 0; at < Math.min(family.count, MOST_LOOKED_AT); at += 1) {
        const file = files.index.find(template.render(at));
        const path = file < 0 ? '' : paths.pathAt(file);
        if (isOneWord(path)) continue;
        complain({
          code: 'PATH_UNQUOTED',
          message: `Job '${family.name.render(at)}': the shell reads the path '${path}' as several words; put ${part.text} in double quotes`,
          path: ['jobs', family.at, 'command'],
          part,
          found: part.text,
        });
        break;
      }
    }
  }
}

/** A path that the shell is to read has a `$`. */
const isOneWord = (path: string): boolean => /[$`]/.test(path) || !/[\s&;|()<>'"]/.test(path);

function unquotedTokens(command: string) {
  let at = 0;
  const placed = tokenParts(command).flatMap((part) => {
    const place = at;
    at += typeof part === 'string' ? part.length : part.part.text.length;
    return typeof part === 'object' && part.kind === 'files' ? [{ token: part, place }] : [];
  });
  const contexts = quoteContexts(
    command,
    placed.map(({ place }) => place),
  );
  return placed.flatMap(({ token }, index) => (contexts[index]?.quotes === 'none' ? [token] : []));
}
