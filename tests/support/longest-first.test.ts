import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { LONGEST } from './longest-first.ts';

it('each file that is to begin first exists', () => {
  const tests = resolve(import.meta.dirname, '..');
  expect(LONGEST.filter((name) => !existsSync(resolve(tests, `${name}.test.ts`)))).toEqual([]);
});
