import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { wordsTo } from '../support/words.ts';

/** Why a job waits, or why it ended as it did: `torc jobs explain`. */

let folder: string;
let server: RunningServer;
const { call, json } = wordsTo(() => server.url);

interface Reported {
  readonly headline: string;
  readonly kind: string;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly next: readonly string[];
  readonly paths: Readonly<Record<string, string>>;
}
/** Ids of jobs by name, whatever their order. */
const idOf: Record<string, number> = {};
const reportedOf = (name: string) => reported(idOf[name] as number);
const reported = async (id: number) => (await json('jobs', 'explain', String(id))) as unknown as Reported;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  const path = join(folder, 'flow.yaml');
  writeFileSync(
    path,
    `
name: explained
compute_node_wait_for_new_jobs_seconds: 1
resource_requirements: [{name: wide, num_cpus: 3, memory: 1m, runtime: PT1M}]
jobs:
  - {name: good, command: "true"}
  - {name: bad, command: "exit 3"}
  - {name: after, command: "true", depends_on: [bad]}
  - {name: last, command: "true", depends_on: [after]}
  - {name: lazy, command: "true # \${files.output.never}"}
  - {name: killed, command: "kill -SEGV $$"}
  - {name: wide, command: "true", resource_requirements: wide}
  - {name: behind, command: "true", depends_on: [wide]}
files: [{name: never, path: never.txt}]
`,
  );
  await torc(['--url', server.url, 'run', path, '--num-cpus', '2'], { cwd: folder });
  await lookUp(1);
});

async function lookUp(workflowId: number): Promise<void> {
  const { items } = await server.client.listJobs({ query: { workflow_id: workflowId } });
  for (const { name, id } of items) idOf[name] = id;
}

describe('of a workflow that was run', () => {
  it('a job that failed: its code, and where to read what it printed', async () => {
    const { kind, headline, reasons, paths } = await reportedOf('bad');
    expect([kind, headline]).toEqual(['ended', expect.stringMatching(/^failed after [\d.]+m?s with exit code 3$/)]);
    expect(reasons).toEqual([{ code: 'exit_code', message: 'the command itself ended with 3' }]);
    expect(paths['job_stderr']).toBe('torc_output/job_stdio/job_wf1_j2_r1_a1.e');
    for (const file of Object.values(paths)) expect(existsSync(join(folder, file))).toBe(true);
  });

  it('a job that was canceled: the job because of which, however far above', async () => {
    expect((await reportedOf('after')).headline).toBe('was canceled because bad (job 2) failed with return code 3');
    expect((await reportedOf('last')).headline).toBe('was canceled because bad (job 2) failed with return code 3');
    expect((await reportedOf('last')).next[0]).toBe('torc jobs explain 2');
  });

  it('a job without its output: the path', async () => {
    expect((await reportedOf('lazy')).reasons).toEqual([
      { code: 'missing_output', message: 'it ended with 0 and did not write a declared output: never.txt' },
    ]);
  });

  it('a job that crashed: the signal by its name', async () => {
    const { reasons } = await reportedOf('killed');
    expect(reasons).toEqual([{ code: 'signal', message: 'the program crashed with SIGSEGV' }]);
  });

  it('a job that was never claimed, when no runner is there any more, and one that waits for it', async () => {
    expect((await reportedOf('wide')).reasons.map(({ code }) => code)).toEqual(['no_runner', 'cpus']);
    const { reasons, next } = await reportedOf('behind');
    expect(reasons).toEqual([
      { code: 'dependency', message: `wide (job ${idOf['wide']}) is ready`, job_id: idOf['wide'] },
    ]);
    expect(next).toEqual([`torc jobs explain ${idOf['wide']}`]);
  });

  it('of a workflow that was run as text: what became of it, why, the files, and what to do', async () => {
    const { stdout } = await call('jobs', 'explain', '2');
    expect(stdout).toMatch(
      /^Job 2 \(bad\) failed after [\d.]+m?s with exit code 3\n {2}the command itself ended with 3\n/,
    );
    expect(stdout).toContain('\nFiles:\n  torc_output/job_stdio/job_wf1_j2_r1_a1.o\n');
    expect(stdout).toContain('\nNext:\n  read what it printed last\n');
  });

  it('of a workflow that was run shows the last lines of the standard error of a job that failed, and of no other', async () => {
    const path = join(folder, 'torc_output/job_stdio/job_wf1_j2_r1_a1.e');
    writeFileSync(path, Array.from({ length: 9 }, (_, at) => `line ${at}`).join('\n') + '\n\u001b[31mred\n');
    const explained = async (...words: string[]) =>
      (await torc(['--url', server.url, ...words], { cwd: folder })).stdout;
    expect(await explained('jobs', 'explain', 'bad')).toContain(
      '\nLast lines of its standard error:\n  line 5\n  line 6\n  line 7\n  line 8\n  \ufffd[31mred\n\nNext:\n',
    );
    expect(JSON.parse(await explained('-f', 'json', 'jobs', 'explain', 'bad'))).toMatchObject({
      stderr_tail: ['line 5', 'line 6', 'line 7', 'line 8', '\ufffd[31mred'],
    });
    writeFileSync(path, '');
    expect(await explained('jobs', 'explain', 'bad')).not.toContain('Last lines');
  });

  it('of a workflow that was run names the files that are there, and all of them where none is', async () => {
    rmSync(join(folder, 'torc_output/job_stdio/job_wf1_j2_r1_a1.o'));
    const explained = async (...more: string[]) =>
      (await torc(['--url', server.url, 'jobs', 'explain', '2', ...more], { cwd: folder })).stdout;
    const here = await explained();
    expect(here).toContain('\nFiles:\n  torc_output/job_stdio/job_wf1_j2_r1_a1.e\n');
    expect(here).not.toContain('job_wf1_j2_r1_a1.o');
    expect(await explained('-o', 'elsewhere')).toContain('\nFiles:\n  elsewhere/job_stdio/job_wf1_j2_r1_a1.o\n');
  });

  it('a job that went well has nothing to explain, and one that is none is refused', async () => {
    expect(await reportedOf('good')).toMatchObject({ kind: 'ended', reasons: [], next: [] });
    expect(await call('jobs', 'explain', '99')).toMatchObject({ code: 1, stdout: '' });
    expect((await call('jobs', 'explain', 'x')).code).toBe(1);
    expect((await call('jobs', 'explain', '0')).code).toBe(2);
  });
});

it('the explanation of a waiting job says what a runner has, and what of it is free', async () => {
  const path = join(folder, 'busy.yaml');
  writeFileSync(
    path,
    `
name: busy
resource_requirements: [{name: two, num_cpus: 2, memory: 1m, runtime: PT1M}, {name: nine, num_cpus: 9, memory: 1m, runtime: PT1M}]
jobs:
  - {name: first, priority: 1, command: 'touch began; while [ ! -e go ]; do sleep 0.05; done', resource_requirements: two}
  - {name: second, command: "true", resource_requirements: two}
  - {name: third, command: "true", resource_requirements: nine}
`,
  );
  const run = start('torc', ['--url', server.url, 'run', path, '--num-cpus', '2'], { cwd: folder });
  await until(
    () => existsSync(join(folder, 'began')),
    (there) => there,
    'the first job to begin',
  );
  await lookUp(2);
  const running = await until(
    () => reportedOf('first'),
    ({ kind }) => kind === 'runs',
    'the start to be reported',
  );
  expect(running.headline).toMatch(/^runs on \S+ since /);
  expect(running.paths['job_stdout']).toBe(`torc_output/job_stdio/job_wf2_j${idOf['first']}_r1_a1.o`);
  expect((await reportedOf('second')).reasons[0]).toMatchObject({
    code: 'busy',
    message: expect.stringMatching(/the job needs 2 CPUs, 0 of 2 are free$/),
  });
  expect((await reportedOf('third')).reasons[0]).toMatchObject({
    code: 'cpus',
    message: expect.stringMatching(/the job needs 9 CPUs, and the largest machine that is known, \S+, has 2 CPUs$/),
  });
  writeFileSync(join(folder, 'go'), '');
  run.child.kill('SIGINT');
  await run.ended;
});

it('a job that was up to date when a new run began is explained by its result of the earlier run, with its files', async () => {
  const path = join(folder, 'again.yaml');
  writeFileSync(path, 'name: again\njobs: [{name: up, command: "true"}, {name: down, command: "exit 3"}]\n');
  await torc(['--url', server.url, 'run', path], { cwd: folder });
  const { items } = await server.client.listWorkflows({ query: { name: 'again' } });
  const id = items[0]?.id as number;
  await lookUp(id);
  await call('workflows', 'reset-status', String(id), '--failed-only', '-r', '--no-prompts');
  expect((await server.client.getWorkflow({ params: { id } })).run_id).toBe(2);
  const { headline, reasons, paths } = await reportedOf('up');
  expect(headline).toMatch(/^completed/);
  expect(reasons).toContainEqual({
    code: 'earlier_run',
    message: 'that was in run 1; the present run did not run it again',
  });
  expect(paths['job_stdout']).toContain('_r1_a1.o');
});
