import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../operations/run/package-root.ts';
import { YOUNG_GENERATION } from './server-process.ts';

it('a server that a command starts has the young generation of one that is started by hand', () => {
  expect(readFileSync(join(packageRoot(), 'bin/torc-server'), 'utf8')).toContain(` ${YOUNG_GENERATION} `);
});
