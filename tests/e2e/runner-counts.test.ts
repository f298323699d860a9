import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { connect } from '../../src/client/node/connect.ts';
import type * as LibcModule from '../../src/runner/launch/libc.ts';
import { startRunner } from '../../src/runner/main/run.ts';
import { noPosix } from '../support/launching.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

/** What a runner does for each job, counted where it leaves the program: these figures do not depend on the machine. */

const counts = vi.hoisted(() => new Map<string, number>());

vi.mock('../../src/runner/launch/libc.ts', async (original) => {
  const { openLibc, ...rest } = await original<typeof LibcModule>();
  const counted = (calls: LibcModule.Calls) =>
    new Proxy(calls, {
      get(target, name: keyof LibcModule.Calls) {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return target[name];
      },
    });
  return { ...rest, openLibc: () => ({ ...openLibc(), calls: counted(openLibc().calls) }) };
});

vi.mock('node:fs', async (original) => {
  const { writeSync, ...rest } = await original<typeof fs>();
  const counted = (...args: Parameters<typeof writeSync>) => {
    counts.set('write', (counts.get('write') ?? 0) + 1);
    return writeSync(...args);
  };
  return { ...rest, writeSync: counted };
});

const JOBS = 400;

/** The calls of a run of short jobs, for each of them. */
async function callsOfJob(slots: number): Promise<Record<string, number>> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const flow = { name: 'many', jobs: [{ name: 'j{i}', command: 'true', parameters: { i: `1:${JOBS}` } }] };
  fs.writeFileSync(join(folder, 'flow.json'), JSON.stringify(flow));
  await torc(['--url', server.url, 'create', 'flow.json'], { cwd: folder });
  await torc(['--url', server.url, 'workflows', 'init', '1'], { cwd: folder });
  const connection = connect({ url: server.url });
  counts.clear();
  const runner = await startRunner({
    workflowId: 1,
    connection,
    apiUrl: server.url,
    outputDir: join(folder, 'out'),
    maxParallelJobs: slots,
    labels: [],
    pollIntervalSeconds: 5,
    claimBackoffMaxSeconds: 300,
    persistent: false,
    variables: [],
    offline: { isEnabled: true, pingIntervalSeconds: 120 },
    logLevel: 'info',
    computeNodeType: 'local',
    onNotice: () => {},
  });
  const { tally, logPath } = await runner.done;
  connection.close();
  expect(tally).toEqual({ completed: JOBS, failed: 0, terminated: 0 });
  counts.set(
    'line',
    fs
      .readFileSync(logPath, 'utf8')
      .split('\n')
      .filter((line) => line.includes('job_id=')).length,
  );
  return Object.fromEntries([...counts].map(([name, calls]) => [name, calls / JOBS]));
}

/** The most of each; others are those of the start of a runner, and would be more than a few for each job if they grew with them. */
const MOST = {
  posix_spawn_file_actions_init: 1,
  posix_spawn_file_actions_addopen: 3,
  posix_spawn: 1,
  posix_spawn_file_actions_destroy: 1,
  // For each end, and once for each signal, of which one may stand for several ends.
  waitid: 2,
  wait4: 1,
  write: 2,
  line: 2,
};
/** Of other calls together, and of these by the test of the launcher and by children of the runtime. */
const BESIDE = 0.2;

it.skipIf(noPosix !== undefined).each([2, 32])(
  'with %i jobs at once, a job costs its runner nine foreign calls, two writes and two lines of the log',
  async (slots) => {
    const calls = await callsOfJob(slots);
    let others = 0;
    for (const [name, ofJob] of Object.entries(calls)) {
      if (name in MOST) expect(ofJob, name).toBeLessThan(MOST[name as keyof typeof MOST] + BESIDE);
      else others += ofJob;
    }
    expect(calls).toMatchObject({ line: MOST.line });
    expect(others).toBeLessThan(BESIDE);
  },
);
