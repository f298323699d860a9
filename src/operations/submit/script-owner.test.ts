import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { isOfLiveProcess } from './script-owner.ts';

afterEach(() => void vi.useRealTimers());

function scriptOfAnotherHost(ageSeconds: number): { folder: string; path: string } {
  const folder = temporaryFolder();
  const path = join(folder, 'script.sh');
  writeFileSync(path, '#!/bin/bash\n# submitted by process 1 on another-host\n');
  const seconds = performance.timeOrigin / 1000 + performance.now() / 1000 - ageSeconds;
  utimesSync(path, seconds, seconds);
  return { folder, path };
}

it('a script that another host wrote within 15 minutes may be in the hands of its process, and an older one is not', () => {
  expect(isOfLiveProcess(scriptOfAnotherHost(600).path)).toBe(true);
  expect(isOfLiveProcess(scriptOfAnotherHost(1_200).path)).toBe(false);
});

it.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])('the age of a script is by the clock of its file system, also where that of this machine is an hour %s', (_, ms) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  const { folder, path } = scriptOfAnotherHost(600);
  expect(isOfLiveProcess(path)).toBe(true);
  expect(isOfLiveProcess(scriptOfAnotherHost(1_200).path)).toBe(false);
  expect(readdirSync(folder)).toEqual(['script.sh']);
});
