import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { changesIn, malformedChanges, withRelease } from '../scripts/changes.ts';

/** Changes since the last release stand in files of their own (changes/README.md), and a release makes lines of the changelog of them. */

const root = resolve(import.meta.dirname, '..');
const isThere = (path: string) => existsSync(join(root, path));
const changelog = '# Changelog\n\nThe newest first.\n\n## 0.1.9\n\n### On Slurm\n\n- An old line.\n';

it('every change since the last release has the form that changes/README.md gives', () => {
  expect(malformedChanges(changesIn(join(root, 'changes')), isThere)).toEqual([]);
});

it.each([
  ['slurm-job-arrays.md', 'Equal allocations are a job array ([guide](docs/how-to/submit-to-slurm.md)).\n', []],
  ['laptop-top.md', '`torc top` says more.\n', []],
  ['laptop.md', 'One line.\n', ['name']],
  ['users-top.md', 'One line.\n', ['name']],
  ['Slurm-top.md', 'One line.\n', ['name']],
  ['slurm-top.txt', 'One line.\n', ['name']],
  ['slurm-top.md', '- One line.\n', ['one line']],
  ['slurm-top.md', '### On Slurm\n', ['one line']],
  ['slurm-top.md', 'One line.\n\nAnother one.\n', ['one line']],
  ['slurm-top.md', 'No full stop\n', ['one line']],
  ['slurm-top.md', '', ['one line']],
  ['slurm-top.md', `${'word '.repeat(60)}word.\n`, ['more than 60 words']],
  ['slurm-top.md', 'A page ([guide](../docs/README.md), [none](docs/none.md)).\n', ['../docs', 'docs/none.md is not']],
])('the change %s with the text %j is refused for its faults alone', (name, text, faults) => {
  const found = malformedChanges(new Map([[name, text]]), isThere);
  expect(found).toHaveLength(faults.length);
  faults.forEach((fault, index) => expect(found[index]).toContain(fault));
});

it('a release has the changes by reader, above the releases before it, which stay as they are', () => {
  const changes = new Map([
    ['slurm-b.md', 'Second.\n'],
    ['laptop-a.md', 'On a laptop.\n'],
    ['slurm-a.md', 'First.\n'],
  ]);
  expect(withRelease(changelog, '0.1.10', changes)).toBe(
    changelog.replace(
      '## 0.1.9\n',
      '## 0.1.10\n\n### On a laptop\n\n- On a laptop.\n\n### On Slurm\n\n- First.\n- Second.\n\n## 0.1.9\n',
    ),
  );
});

it.each(['0.1.9', '0.1.8', '0.0.10', '0.2', 'v0.2.0', ''])('a release is no "%s" after 0.1.9', (version) => {
  expect(() => withRelease(changelog, version, new Map([['site-a.md', 'A line.\n']]))).toThrow(
    'no version after 0.1.9',
  );
});

it('a release without a change is refused', () => {
  expect(() => withRelease(changelog, '0.2.0', new Map())).toThrow('no change');
});

it('the readers of changes are the headings of the first release', () => {
  const first = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split('## 0.1.0\n')[1] as string;
  const headings = [...first.matchAll(/^### .*$/gm)].map(([heading]) => heading);
  const all = new Map(
    ['laptop', 'slurm', 'site', 'torc', 'program'].map((reader) => [`${reader}-a.md`, 'A line.\n'] as const),
  );
  const next = withRelease(changelog, '0.2.0', all).split('## 0.1.9')[0] as string;
  expect([...next.matchAll(/^### .*$/gm)].map(([heading]) => heading)).toEqual(headings);
});
