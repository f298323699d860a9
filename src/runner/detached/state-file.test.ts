import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { ownIdentity } from '../../cluster/host/facts.ts';
import type { WorkerState } from '../../core/remote/remote-host.ts';
import { readState, takeStateLock, writeState } from './state-file.ts';

const state = (over: Partial<WorkerState> = {}): WorkerState => {
  const { hardware_ids: ids, ...identity } = ownIdentity() as NonNullable<ReturnType<typeof ownIdentity>>;
  return {
    workflow_id: 1,
    host: 'h1',
    hostname: 'h1',
    ...identity,
    hardware_ids: [...(ids ?? [])],
    version: '1',
    url: 'http://h/',
    started_at: new Date().toISOString(),
    log: 'log',
    ...over,
  };
};

/** The id of a process that has ended. */
const endedPid = () => Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));

describe('the lock of a state file', () => {
  it('the lock of a state file is held by one start until that releases it', () => {
    const path = join(temporaryFolder(), 'state.json');
    const release = takeStateLock(path, state());
    expect(release).toBeDefined();
    expect(takeStateLock(path, state())).toBeUndefined();
    release?.();
    expect(takeStateLock(path, state())).toBeDefined();
  });

  it('the lock of a state file of a start that was killed is taken over, and leaves no other file', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'state.json');
    writeFileSync(`${path}.lock`, JSON.stringify(state({ pid: endedPid() })));
    expect(takeStateLock(path, state())).toBeDefined();
    expect(readdirSync(folder)).toEqual(['state.json.lock']);
  });

  it('the lock of a state file whose end cannot be proven stays', () => {
    const path = join(temporaryFolder(), 'state.json');
    writeFileSync(`${path}.lock`, JSON.stringify(state({ pid: endedPid(), boot_id: 'of another machine' })));
    expect(takeStateLock(path, state())).toBeUndefined();
    expect(existsSync(`${path}.lock`)).toBe(true);
  });
});

it('a state file that is damaged counts as none, and a new one replaces it as a whole', () => {
  const path = join(temporaryFolder(), 'state.json');
  writeFileSync(path, '{"workflow_id": 1, "ho');
  expect(readState(path)).toBeUndefined();
  const written = state();
  writeState(path, written);
  expect(readState(path)).toEqual(written);
});
