import type { Draft } from '../link/draft.ts';
import { quoteContexts } from '../expand/shell-quote.ts';
import { templateOf } from '../expand/template.ts';
import type { SpecFamily } from '../expand/family.ts';
import type { FilePaths } from '../link/file-paths.ts';
import { meantPaths, ownPathOf, ownTokens } from '../link/own-tokens.ts';
import { tokenParts } from '../link/tokens.ts';
import type { Complain } from '../problems/problems.ts';
import type { TextPart } from '../problems/text-part.ts';
import type { JobSpec } from '../shape/workflow.ts';

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
    for (const { part, pathAt } of unquotedTokens(command, family, files, paths)) {
      for (let at = 0; at < Math.min(family.count, MOST_LOOKED_AT); at += 1) {
        const path = pathAt(at);
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

interface PlacedToken {
  readonly place: number;
  readonly part: TextPart;
  /** The path in a combination of parameters. */
  readonly pathAt: (combination: number) => string;
}

function unquotedTokens(
  command: string,
  { spec, axes }: SpecFamily<JobSpec>,
  files: Draft['files'],
  paths: FilePaths,
): PlacedToken[] {
  let at = 0;
  const placed = tokenParts(command).flatMap((part): PlacedToken[] => {
    const place = at;
    at += typeof part === 'string' ? part.length : part.part.text.length;
    if (typeof part !== 'object' || part.kind !== 'files') return [];
    const name = templateOf(part.name, axes);
    const pathAt = (combination: number): string => {
      const file = files.index.find(name.render(combination));
      return file < 0 ? '' : paths.pathAt(file);
    };
    return [{ place, part: part.part, pathAt }];
  });
  for (const token of ownTokens(command, spec)) {
    const [meant] = meantPaths(token, spec);
    if (meant !== undefined) placed.push({ place: token.at, part: token.part, pathAt: ownPathOf(token, meant, axes) });
  }
  placed.sort((one, other) => one.place - other.place);
  const contexts = quoteContexts(
    command,
    placed.map(({ place }) => place),
  );
  return placed.filter((_, index) => contexts[index]?.quotes === 'none');
}
