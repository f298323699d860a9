import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parsePage, type Step } from './parse.ts';

const root = resolve(import.meta.dirname, '../../..');

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(folder, entry.name));

export interface Page {
  readonly page: string;
  readonly steps: readonly Step[];
}

/** The pages that a reader follows, README first; without those that have no commands. */
export function pagesToFollow(): Page[] {
  return ['README.md', ...['docs/tutorials', 'docs/how-to', 'docs/explanation'].flatMap(pagesIn)]
    .map((page) => ({ page, steps: parsePage(readFileSync(join(root, page), 'utf8')) }))
    .filter(({ steps }) => steps.some(({ kind }) => kind === 'commands'));
}
