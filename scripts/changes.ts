/**
 * Puts the files of `changes/` into the changelog as a release: `npm run changes -- 0.1.1`.
 *
 * Each change has a file of its own, so that two branches do not meet in one file. The reader stands in its name, and its text is one line.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Who reads a change, by the first word of its file, in the order of the changelog, with the heading there. */
const READERS = {
  laptop: 'On a laptop',
  slurm: 'On Slurm',
  site: 'For a site',
  torc: 'From Torc',
  program: 'For programs',
} as const;

/** A longer text belongs on a page, to which the line leads. */
const MOST_WORDS = 60;

/** Texts of changes by the names of their files. */
export type Fragments = ReadonlyMap<string, string>;

const isNewer = (version: string, than: string): boolean => version.localeCompare(than, 'en', { numeric: true }) > 0;

const readerOf = (name: string) => name.slice(0, name.indexOf('-'));

/** What is wrong with the form of each change, with its file; `exists` says whether a link leads somewhere. */
export function malformedChanges(fragments: Fragments, exists: (path: string) => boolean): string[] {
  return [...fragments].flatMap(([name, text]) => {
    const wrong = [];
    const line = text.trimEnd();
    if (!/^[a-z]+(?:-[a-z\d]+)+\.md$/.test(name) || !(readerOf(name) in READERS))
      wrong.push(`the name is READER-few-words.md, and READER one of ${Object.keys(READERS).join(', ')}`);
    if (!/^[^\s#>|*-].*\.$/.test(line) || text !== `${line}\n`)
      wrong.push('the text is one line: a sentence that ends with a full stop, without "- " or a heading');
    if (line.split(/\s+/).length > MOST_WORDS) wrong.push(`the text has more than ${MOST_WORDS} words`);
    for (const [, target = ''] of line.matchAll(/\]\((?!https?:)([^)#]+)/g))
      if (!exists(target)) wrong.push(`${target} is not there; links begin at the root of the repository`);
    return wrong.map((each) => `changes/${name}: ${each}`);
  });
}

/** The changelog with these changes as its newest release. Throws where the version is not newer, or nothing has changed. */
export function withRelease(changelog: string, version: string, fragments: Fragments): string {
  const [, newest = ''] = /^## (\S+)$/m.exec(changelog) ?? [];
  if (!/^\d+\.\d+\.\d+$/.test(version) || !isNewer(version, newest))
    throw new Error(`"${version}" is no version after ${newest}; write one such as 0.1.1`);
  if (fragments.size === 0) throw new Error('changes/ has no change to release');
  const names = [...fragments.keys()].sort();
  const sections = Object.entries(READERS).flatMap(([reader, heading]) => {
    const lines = names.filter((name) => readerOf(name) === reader).map((name) => `- ${fragments.get(name)?.trim()}\n`);
    return lines.length === 0 ? [] : [`### ${heading}\n\n${lines.join('')}\n`];
  });
  const at = changelog.indexOf(`## ${newest}\n`);
  return `${changelog.slice(0, at)}## ${version}\n\n${sections.join('')}${changelog.slice(at)}`;
}

/** The changes of the folder; its README says how they are written. */
export const changesIn = (folder: string): Fragments =>
  new Map(
    readdirSync(folder)
      .filter((name) => name !== 'README.md')
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const folder = join(root, 'changes');
  const path = join(root, 'CHANGELOG.md');
  const changes = changesIn(folder);
  try {
    const malformed = malformedChanges(changes, (target) => existsSync(join(root, target)));
    if (malformed.length > 0) throw new Error(malformed.join('\n'));
    writeFileSync(path, withRelease(readFileSync(path, 'utf8'), process.argv[2] ?? '', changes));
    for (const name of changes.keys()) rmSync(join(folder, name));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
