import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync } from '@swc/core';
import { expect, it } from 'vitest';

/** Each word for the end of an attempt stands for one thing in the names of the runner: docs/explanation/how-it-is-built.md. */

const runner = resolve(import.meta.dirname, '../src/runner');

/** In which folders a word of a name may begin like this; undefined: in none. */
const HOMES: Readonly<Record<string, RegExp | undefined>> = {
  conclud: undefined,
  settl: /^(?:held|attempt)\//,
  finish: /^(?!held\/|attempt\/(?!output-disk))/,
  leav: /^(?:claim|main|actions|teardown|step\/direct)\//,
};

/** Names that others gave: those of the contract, of JavaScript, and of what a server reports. */
const GIVEN: ReadonlySet<string> = new Set(['allSettled', 'settled', 'finished']);

interface Node {
  readonly type?: string;
  readonly value?: unknown;
}

/** The names in a module. */
function namesIn(source: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as Node;
    if (type === 'Identifier' && typeof value === 'string') names.add(value);
    for (const each of Object.values(node)) visit(each);
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'es2024' }));
  return names;
}

/** Names with one of the words in a folder where it means something else. */
const misused = (path: string, source: string): string[] =>
  [...namesIn(source)].flatMap((name) => {
    const words = name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase());
    const isMisused = Object.entries(HOMES).some(
      ([stem, folders]) => folders?.test(path) !== true && words.some((word) => word.startsWith(stem)),
    );
    return isMisused && !GIVEN.has(name) ? [`${path}: ${name}`] : [];
  });

it('names in the runner use each word for the end of an attempt for one thing', () => {
  const files = globSync('**/*.ts', { cwd: runner }).filter((path) => !path.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(150);
  expect(files.flatMap((path) => misused(path, readFileSync(resolve(runner, path), 'utf8')))).toEqual([]);
});

it('a name is found where its word means something else, and not where it is at home', () => {
  expect(misused('held/ends.ts', 'const settleLater = () => finish();')).toEqual(['held/ends.ts: finish']);
  expect(misused('report/converse.ts', 'const hasSettled = finish(settleLater);')).toEqual([
    'report/converse.ts: hasSettled',
    'report/converse.ts: settleLater',
  ]);
  expect(misused('main/run.ts', 'concludeAll(); allSettled(); leaves();')).toEqual(['main/run.ts: concludeAll']);
});
