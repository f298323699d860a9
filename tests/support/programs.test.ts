import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endOfFile } from './over.ts';
import { endProcessesWith, MARK, start, temporaryFolder, until } from './programs.ts';
import { processesWith } from './processes.ts';

it('a job whose runner was killed goes on, and ends with the file of its test', async () => {
  const folder = temporaryFolder();
  const command = 'touch began; until test -e go; do sleep 0.05; done';
  writeFileSync(join(folder, 'flow.json'), JSON.stringify({ name: 'flow', jobs: [{ name: 'waits', command }] }));
  const run = start('torc', ['-s', 'run', 'flow.json'], { cwd: folder });
  await until(() => existsSync(join(folder, 'began')), Boolean, 'the job to begin');
  run.child.kill('SIGKILL');
  await run.ended;
  expect(processesWith(MARK.name, MARK.value)).not.toEqual([]);
  await endOfFile();
  expect(processesWith(MARK.name, MARK.value)).toEqual([]);
});

it('processes with another value of the variable do not end', async () => {
  const { child, ended } = start('torc', ['tui'], { cwd: temporaryFolder(), environment: { [MARK.name]: 'another' } });
  await endProcessesWith(MARK.name, MARK.value);
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  child.kill('SIGKILL');
  await ended;
});
