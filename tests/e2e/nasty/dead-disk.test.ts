import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deadDisk, noDeadDisk } from '../../support/dead-disk.ts';
import { programFolder } from '../../support/packed.ts';
import { temporaryFolder, until } from '../../support/programs.ts';

const flow = `name: flow
jobs:
  - {name: first, command: "touch began; until [ -e go ]; do sleep 0.1; done"}
  - {name: beside, command: "echo $$ > pid; until [ -e go ]; do sleep 0.1; done; touch went-on; exec sleep 600"}
  - {name: next, command: "touch never", depends_on: [first]}
`;

it.skipIf(noDeadDisk)(
  'a run whose output folder does not answer says so, running jobs go on, Ctrl-C ends it with its jobs, and the job that could not begin never does',
  { timeout: 120_000 },
  async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'flow.yaml'), flow);
    const there = (name: string) => until(() => existsSync(join(folder, name)), Boolean, `the file ${name}`);
    const words = [
      join(programFolder(), 'torc.mjs'),
      '-s',
      'run',
      'flow.yaml',
      '-o',
      'out',
      '--max-parallel-jobs',
      '3',
    ];
    // A group of its own, as a shell gives it to a command: Ctrl-C signals all of its processes.
    const run = spawn(process.execPath, words, {
      cwd: folder,
      detached: true,
      env: { ...process.env, USER: 'tester' },
    });
    const group = -(run.pid as number);
    onTestFinished(() => void spawn('bash', ['-c', `kill -KILL -- ${group}`]));
    let text = '';
    run.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
    const ended = once(run, 'exit');
    const says = (expected: string) =>
      until(
        () => text,
        (found) => found.includes(expected),
        `the words ${expected}`,
      );
    await there('began');
    await there('pid');
    const unmount = await deadDisk(join(folder, 'out/job_stdio'));
    writeFileSync(join(folder, 'go'), '');
    await says('torc: the runner waits for a file system that does not answer, probably that of out.');
    await there('went-on');
    process.kill(group, 'SIGINT');
    await says('torc: the runner and its jobs are killed; the next run of the workflow runs them again');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const pid = readFileSync(join(folder, 'pid'), 'utf8').trim();
    await until(
      () => existsSync(`/proc/${pid}`),
      (isThere) => !isThere,
      'the job to end',
    );
    unmount();
    expect(existsSync(join(folder, 'never'))).toBe(false);
  },
);
