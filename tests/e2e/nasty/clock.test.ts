import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startRunner } from '../../../src/runner/main/run.ts';
import { connect } from '../../../src/client/node/connect.ts';
import { startServer, temporaryFolder, torc, until } from '../../support/programs.ts';

/** The clock of a node jumps while its runner works; the runner is in this process, where its clock can be set. */

afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;

describe.each([
  ['forward by an hour', HOUR_MS],
  ['back by an hour', -HOUR_MS],
  ['forward by ten years', 10 * 365 * 24 * HOUR_MS],
])('a clock that is set %s', (_, jumpMs) => {
  it('stops no job, makes none run twice, and makes no time of a job wrong', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    writeFileSync(
      join(folder, 'flow.yaml'),
      `
name: clock
jobs:
  - {name: "first_{i}", parameters: {i: "1:30"}, command: 'echo x >> ${folder}/ran; sleep 0.05'}
  - {name: long, command: 'sleep 1'}
  - {name: "then_{i}", parameters: {i: "1:30"}, depends_on: ["first_{i}"], command: 'echo x >> ${folder}/ran'}
`,
    );
    await torc(['--url', server.url, 'create', 'flow.yaml'], { cwd: folder });
    await torc(['--url', server.url, 'workflows', 'init', '1'], { cwd: folder });

    const connection = connect({ url: server.url });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const runner = await startRunner({
      workflowId: 1,
      connection,
      apiUrl: server.url,
      outputDir: join(folder, 'out'),
      numCpus: 4,
      labels: [],
      endAtMs: undefined,
      pollIntervalSeconds: 5,
      claimBackoffMaxSeconds: 300,
      persistent: false,
      variables: [],
      offline: { isEnabled: true, pingIntervalSeconds: 120 },
      logLevel: 'info',
      computeNodeType: 'local',
      onNotice: () => {},
    });
    const counts = async () => (await server.client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status;
    await until(counts, ({ completed }) => completed > 3, 'some jobs to end');
    vi.setSystemTime(Date.now() + jumpMs);
    const { ending, isReported, seconds } = await runner.done;
    connection.close();
    expect([ending, isReported]).toEqual(['complete', true]);
    // The run itself took seconds, whatever the clock said.
    const [node] = (await server.client.listComputeNodes({ query: { workflow_id: 1 } })).items;
    for (const duration of [seconds, node?.duration_seconds]) {
      expect(duration).toBeGreaterThan(0);
      expect(duration).toBeLessThan(600);
    }

    const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
    expect(items).toHaveLength(61);
    expect(items.every(({ status, attempt_id: attempt }) => status === 'completed' && attempt === 1)).toBe(true);
    const minutes = items.map(({ exec_time_minutes: each }) => each);
    expect(Math.min(...minutes)).toBeGreaterThan(0);
    expect(Math.max(...minutes)).toBeLessThan(1);
    const long = items.find(({ job_name: name }) => name === 'long');
    expect((long?.exec_time_minutes ?? 0) * 60).toBeGreaterThan(0.9);
  });
});
