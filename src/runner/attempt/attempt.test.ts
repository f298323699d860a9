import { statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { lookAtInputs } from './attempt.ts';

const jobThatReads = (...paths: string[]) =>
  ({ input_files: paths.map((path, index) => ({ id: index + 1, path })) }) as unknown as ClaimedJob;

it('an attempt says of its inputs what they were when it began, and of one that is not there nothing', async () => {
  const path = join(temporaryFolder(), 'raw');
  writeFileSync(path, 'four');
  const { mtimeMs } = statSync(path);
  const inputs = await lookAtInputs(jobThatReads(path, `${path}.absent`));
  truncateSync(path);
  utimesSync(path, 1, 1);
  expect(inputs).toEqual([{ id: 1, st_mtime: mtimeMs / 1000, st_size: 4 }]);
});

it('an attempt without inputs is not looked at', () => {
  expect(lookAtInputs(jobThatReads())).toBeUndefined();
  expect(lookAtInputs({} as ClaimedJob)).toBeUndefined();
});
