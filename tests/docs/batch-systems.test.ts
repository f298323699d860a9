import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openBatch } from '../../src/cluster/open-batch.ts';
import { openLocalBatch } from '../fakes/local-batch.ts';
import { temporaryFolder } from '../support/programs.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/explanation/batch-systems.md'), 'utf8');
const methods = Object.keys(openBatch({})).filter((name) => name !== 'name');

it('the page about batch systems has a line for each method, and none for a method that is gone', () => {
  const named = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  expect(named).toHaveLength(methods.length);
  expect(new Set(named)).toEqual(new Set(methods));
});

it('the batch system of the tests has each method, in at most 200 lines', () => {
  const path = resolve(import.meta.dirname, '../fakes/local-batch.ts');
  const local = openLocalBatch({ folder: join(temporaryFolder(), 'jobs'), slots: 0, environment: {} });
  expect(Object.keys(local)).toEqual(expect.arrayContaining(methods));
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThanOrEqual(200);
});
