import { mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, until } from '../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { lookAfter, lookBefore } from './outputs.ts';

const jobWith = (paths: readonly string[]) =>
  ({ output_files: paths.map((path, index) => ({ id: index + 1, path })) }) as unknown as ClaimedJob;

it('an output that was there before and is not touched is stale, and one that is written anew, replaced or only touched is not', async () => {
  const folder = temporaryFolder();
  const [kept, written, replaced, touched, made, absent] = [
    'kept',
    'written',
    'replaced',
    'touched',
    'made',
    'absent',
  ].map((name) => join(folder, name)) as [string, string, string, string, string, string];
  for (const path of [kept, written, replaced, touched]) writeFileSync(path, 'same');
  mkdirSync(join(folder, 'folder'));
  // The change time of a file cannot be set.
  await until(
    () => Date.now() - statSync(touched).ctimeMs,
    (ageMs) => ageMs > 2_200,
    'the files to be old',
  );
  const job = jobWith([kept, written, replaced, touched, made, absent, join(folder, 'folder')]);
  const before = lookBefore(job);
  await before?.files;
  writeFileSync(written, 'same');
  writeFileSync(`${replaced}.new`, 'same');
  renameSync(`${replaced}.new`, replaced);
  utimesSync(touched, new Date(), new Date());
  writeFileSync(made, 'new');
  const { missing, stale, files } = await lookAfter(job, before);
  expect([missing, stale, files.map(({ id }) => id)]).toEqual([[absent], [kept], [1, 2, 3, 4, 5, 7]]);
});

it('an output that the job wrote before it was looked at is not stale', async () => {
  const path = join(temporaryFolder(), 'fast');
  writeFileSync(path, 'written at once');
  const before = lookBefore(jobWith([path]));
  expect((await lookAfter(jobWith([path]), before)).stale).toEqual([]);
});

it('a job without outputs is not looked at, and has none', async () => {
  expect(lookBefore(jobWith([]))).toBeUndefined();
  expect(await lookAfter(jobWith([]), undefined)).toEqual({ missing: [], stale: [], files: [] });
});
