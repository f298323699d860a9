import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HELP } from '../../src/tui/press/help.ts';
import { detailViews } from '../../src/tui/views/all.ts';
import { workflows } from '../../src/tui/views/records.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/tui.md'), 'utf8');

const part = (from: string, to: RegExp) => (page.split(`<!-- ${from} -->`)[1] as string).split(to)[0] as string;
const listed = (titles: readonly string[]) => (titles.length === 0 ? '–' : titles.join(', '));

it('the page of the terminal view lists every view with its columns, sorts and filters, in the order of Tab', () => {
  const rows = part('views', /^## /m)
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const expected = [workflows, ...detailViews].map(({ sign, name, columns, sorts, filters }) => [
    `${sign} ${name}`.trim(),
    name === 'Summary' ? 'the sentences of `torc status`' : listed(columns.map(({ title }) => title)),
    listed(sorts.map(({ title }) => title)),
    listed(filters.map(({ title, query }) => `${title}${query === undefined ? '' : String.raw`\*`}`)),
  ]);
  expect(rows).toEqual(expected);
});

it('the page of the terminal view lists the keys as the help of the program does', () => {
  expect(part('keys', /^## /m).trim()).toBe(['```text', ...HELP, '```'].join('\n'));
});
