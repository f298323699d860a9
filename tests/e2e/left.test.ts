import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { wordsTo } from '../support/words.ts';

/** A runner that leaves while jobs are ready says which it could not take, and why. */

let folder: string;
let server: RunningServer;
let stderr: string;
const { call, json } = wordsTo(() => server.url);

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  const path = join(folder, 'flow.yaml');
  writeFileSync(
    path,
    `
name: left
compute_node_wait_for_new_jobs_seconds: 1
resource_requirements:
  - {name: wide, num_cpus: 3, memory: 1m, runtime: PT1M}
  - {name: large, num_cpus: 1, memory: 2g, runtime: PT1M}
  - {name: long, num_cpus: 1, memory: 1m, runtime: PT4H}
jobs:
  - {name: fits, command: "true"}
  - {name: "wide_{i}", parameters: {i: "1:2"}, command: "true", resource_requirements: wide}
  - {name: large, command: "true", resource_requirements: large}
  - {name: long, command: "true", resource_requirements: long}
  - {name: special, command: "true", labels: [gpu]}
`,
  );
  const options = ['--num-cpus', '2', '--memory-gb', '1', '--time-limit', 'PT1H'];
  stderr = (await torc(['--url', server.url, 'run', path, ...options], { cwd: folder })).stderr;
});

const sentences = [
  '2 ready jobs need more CPUs than the runner has: wide_1 (job 2) needs 3 CPUs, it has 2 CPUs',
  '1 ready job wants other labels than the runner has: special (job 6) needs label gpu, it has no label',
  '1 ready job needs more memory than the runner has: large (job 4) needs 2 GiB, it has 1 GiB',
  '1 ready job needs more time than the runner has left: long (job 5) needs 4h 00m, it has ',
];

describe('a runner that leaves without work', () => {
  it.each(sentences)('a runner that leaves without work says: %s', (sentence) => expect(stderr).toContain(sentence));

  it('a runner that leaves without work says it in its log too', () => {
    const name = readdirSync(join(folder, 'torc_output')).find((each) => each.endsWith('.log')) as string;
    const log = readFileSync(join(folder, 'torc_output', name), 'utf8');
    for (const sentence of sentences) expect(log).toContain(`WARN ${sentence}`);
  });

  it('a runner that leaves without work says it in an event, with the counts by reason', async () => {
    const { items } = await server.client.listEvents({ query: { workflow_id: 1, category: 'runner_left' } });
    expect(items.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        level: 'warning',
        compute_node_id: 1,
        ending: 'idle',
        ready_jobs: 5,
        unclaimable_jobs: 5,
        reasons: [
          { reason: 'cpus', jobs: 2, job_id: 2, job_name: 'wide_1', needs: '3 CPUs', has: '2 CPUs' },
          expect.objectContaining({ reason: 'labels', jobs: 1 }),
          expect.objectContaining({ reason: 'memory', jobs: 1 }),
          expect.objectContaining({ reason: 'time', jobs: 1 }),
        ],
      }),
    ]);
  });

  it('the status of a workflow says why its last runner left without work, for people and for programs', async () => {
    const { stdout: text } = await call('status', '1');
    expect(text).toContain('No runner can take these jobs; checked for the runner (1):');
    expect(text).toContain(`  ${sentences[0] ?? ''}`);
    expect(await json('status', '1')).toMatchObject({
      unclaimable_ready_jobs: 5,
      unclaimable_reasons: expect.arrayContaining([expect.objectContaining({ reason: 'cpus', jobs: 2 })]),
    });
  });
});

it('a runner that did all there was says nothing of the kind', async () => {
  const path = join(folder, 'done.yaml');
  writeFileSync(path, 'name: done\njobs: [{name: a, command: "true"}]\n');
  const { stderr: quiet } = await torc(['--url', server.url, 'run', path], { cwd: folder });
  expect(quiet).not.toContain('ready');
  expect((await server.client.listEvents({ query: { workflow_id: 2, category: 'runner_left' } })).items).toEqual([]);
  expect(await json('status', '2')).toMatchObject({ unclaimable_ready_jobs: 0, unclaimable_reasons: [] });
});

/** A job that this machine is too small for, and one behind it that it is not. An idle time that no test would wait for. */
const TOO_WIDE = `
name: wide
compute_node_wait_for_new_jobs_seconds: 86400
resource_requirements:
  - {name: wide, num_cpus: 64, memory: 1m, runtime: PT1M}
jobs:
  - {name: wide, command: "true", resource_requirements: wide}
  - {name: behind, command: "true", depends_on: [wide]}
`;

describe('a runner that can take none of the ready jobs', () => {
  it('a runner that can take none of the ready jobs ends at once on a server of its own, and says why, what would help, and what --fail would return', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'flow.yaml'), TOO_WIDE);
    const { code, stderr: said } = await torc(['-s', 'run', 'flow.yaml', '--num-cpus', '2'], { cwd });
    expect(said).toContain('wide (job 1) needs 64 CPUs, it has 2 CPUs');
    expect(said.trimEnd().split('\n').slice(-2)).toEqual([
      'What would help: torc -s jobs explain 1',
      'Exit code 0; with --fail it would be 1: 2 not run',
    ]);
    expect(code).toBe(0);
  });

  it('a runner that can take none of the ready jobs ends at once when it counts jobs and its end is too near for any', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'flow.yaml'), TOO_WIDE);
    const { stderr: said } = await torc(['-s', 'run', 'flow.yaml', '-j', '2', '--time-limit', 'PT4M', '--fail'], {
      cwd,
    });
    expect(said).toContain('takes none in its last 300 s (compute_node_min_time_for_new_jobs_seconds)');
  });

  it('a runner that can take none of the ready jobs on a server of others says so at once, stays, and does what a larger runner makes ready', async () => {
    const cwd = temporaryFolder();
    const path = join(cwd, 'flow.yaml');
    writeFileSync(path, TOO_WIDE);
    const small = start('torc', ['--url', server.url, 'run', path, '--num-cpus', '2'], { cwd });
    await small.says('waiting 86400 s for other runners');
    const id = (await server.client.listWorkflows({ query: { name: 'wide' } })).items[0]?.id as number;
    const { items: nodes } = await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } });
    expect(nodes).toHaveLength(1);
    const large = await torc(['--url', server.url, 'run', String(id), '--num-cpus', '64'], { cwd });
    expect([large.code, (await small.ended).code]).toEqual([0, 0]);
    expect(await server.client.getWorkflowStatus({ params: { id } })).toMatchObject({
      jobs_by_status: { completed: 2 },
    });
  });
});
