import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { leftJobs, leftResults } from '../support/standalone.ts';

const examples = resolve(import.meta.dirname, '../../examples');

const spec = (folder: string, text: string): string => {
  const path = join(folder, 'flow.yaml');
  writeFileSync(path, text);
  return path;
};

describe('torc -s run FILE', () => {
  it('torc -s run FILE runs the diamond in the order that its files imply, and says so', async () => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await torc(['-s', 'run', join(examples, 'diamond.yaml')], { cwd: folder });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Started standalone torc-server on http://127.0.0.1:');
    expect(stderr).toMatch(/^Created workflow 1$/m);
    expect(stderr).toMatch(/✓ diamond \(workflow 1\): 4 jobs completed in /);
    expect(readFileSync(join(folder, 'torc_output/diamond/result.txt'), 'utf8')).toBe('5050 338350\n');
    const table = (await torc(['-s', 'jobs', 'list', '1'], { cwd: folder })).stdout;
    expect(table.match(/│ completed │ +0 │ +1 │ +[\d.]+m?s │/g)).toHaveLength(4);
    expect((await leftJobs(folder)).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
    ]);
  });

  it('torc -s run FILE exits with 0 when jobs failed, says why each did, and cancels what depends on them', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      `
name: failing
jobs:
  - {name: bad, command: "echo first; echo the reason >&2; exit 3"}
  - {name: after, command: "true", depends_on: [bad]}
  - {name: brave, command: "true", depends_on: [bad], cancel_on_blocking_job_failure: false}
`,
    );
    const { code, stderr } = await torc(['-s', 'run', path], { cwd: folder });
    expect(code).toBe(0);
    expect(stderr).toContain('1 job completed, 1 failed, 1 stopped (canceled)');
    expect(stderr).toMatch(
      /bad \(job 1\) failed with exit code 3 after .*\n {2}the command itself ended with 3\n {2}\$ echo first; .*\n {2}torc_output\/job_stdio\/job_wf1_j1_r1_a1\.e\n {2}│ the reason/,
    );
    expect(Object.fromEntries((await leftJobs(folder)).map(({ name, status }) => [name, status]))).toEqual({
      bad: 'failed',
      after: 'canceled',
      brave: 'completed',
    });
    expect((await torc(['-s', 'run', '--fail', path], { cwd: folder })).code).toBe(1);
    writeFileSync(join(folder, 'torc.toml'), '[client.run]\nfailed_exit = true\n');
    expect((await torc(['-s', 'run', path], { cwd: folder })).code).toBe(1);
  });

  it('torc -s run FILE creates nothing from a file with mistakes, and lists all of them with their lines', async () => {
    const folder = temporaryFolder();
    const path = spec(folder, 'name: x\njobs:\n  - name: a\n    comand: "true"\n  - name: b\n    command: 7\n');
    const { code, stderr } = await torc(['-s', 'run', path], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('flow.yaml:4:5: jobs[0].comand: unknown field `comand`; did you mean "command"?');
    expect(stderr).toContain(
      'flow.yaml:6:14: jobs[1].command: `command` must be a text; found the number 7. Put it in quotes: "7"',
    );
    expect(existsSync(join(folder, 'torc_output'))).toBe(false);
  });

  it('torc -s run FILE reads a workflow from standard input, and goes on with one that exists by its id', async () => {
    const folder = temporaryFolder();
    const input = 'name: piped\njobs: [{name: a, command: "echo hello"}]\n';
    expect((await torc(['-s', 'run', '-'], { cwd: folder, input })).code).toBe(0);
    expect(readFileSync(join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8')).toBe('hello\n');
    const again = await torc(['-s', 'run', '1'], { cwd: folder });
    expect(again.code).toBe(0);
    expect((await torc(['-s', 'run', '9'], { cwd: folder })).stderr).toContain('workflow 9 was not found (404)');
  });

  it('torc -s run FILE refuses to begin when an input is missing that no job makes', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      'name: x\njobs: [{name: a, command: "cat ${files.input.f}"}]\nfiles: [{name: f, path: not-there.txt}]\n',
    );
    const { code, stderr } = await torc(['-s', 'run', path], { cwd: folder });
    expect([code, stderr.includes('1 input file must exist and does not, and no job makes it: not-there.txt')]).toEqual(
      [1, true],
    );
  });
});

describe('a job', () => {
  it('a job finds who it is, and its own variables, in its environment, and nothing on standard input', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      `
name: env
env: {SHARED: workflow, OWN: workflow}
jobs:
  - name: show
    command: env; echo "stdin=[$(cat)]"
    env: {OWN: job}
`,
    );
    await torc(['-s', 'run', path], { cwd: folder });
    const lines = readFileSync(join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8').split('\n');
    for (const line of [
      'SHARED=workflow',
      'OWN=job',
      'TORC_WORKFLOW_ID=1',
      'TORC_RUN_ID=1',
      'TORC_JOB_ID=1',
      'TORC_JOB_NAME=show',
      'TORC_OUTPUT_DIR=torc_output',
      'TORC_ATTEMPT_ID=1',
      `TORC_WORKFLOW_SUBMISSION_DIR=${folder}`,
      'stdin=[]',
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.find((line) => line.startsWith('TORC_API_URL='))).toMatch(
      /^TORC_API_URL=http:\/\/127\.0\.0\.1:\d+\/torc-service\/v1$/,
    );
  });

  it('a job ends with the code of a shell: of its last command, or 128 and the signal', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      `
name: codes
jobs:
  - {name: ok-after-failure, command: "false; true"}
  - {name: nothing, command: ""}
  - {name: big, command: "exit 300"}
  - {name: unknown, command: "no-such-command"}
  - {name: killed, command: "kill -9 $$"}
  - {name: terminated, command: "kill -TERM $$"}
  - {name: own-152, command: "exit 152"}
`,
    );
    await torc(['-s', 'run', path], { cwd: folder });
    const items = await leftResults(folder);
    expect(
      Object.fromEntries(items.map(({ job_name: name, return_code: code, status }) => [name, [code, status]])),
    ).toEqual({
      'ok-after-failure': [0, 'completed'],
      nothing: [0, 'completed'],
      big: [44, 'failed'],
      unknown: [127, 'failed'],
      killed: [137, 'failed'],
      terminated: [143, 'failed'],
      'own-152': [152, 'failed'],
    });
  });

  it('a job that does not make its declared output failed, with return code 1', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      'name: x\njobs: [{name: a, command: "true # ${files.output.f}"}]\nfiles: [{name: f, path: never.txt}]\n',
    );
    const { stderr } = await torc(['-s', 'run', path], { cwd: folder });
    expect(stderr).toContain('a (job 1) failed with exit code 1');
    expect(stderr).toContain('never.txt');
  });

  it('a job writes only the files that its way of output asks for', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      `
name: stdio
execution_config: {stdio: {mode: combined}}
jobs:
  - {name: both, command: "echo a; echo b >&2; echo c"}
  - {name: none, command: "echo a", stdio: {mode: none}}
  - {name: no-err, command: "echo a; echo b >&2", stdio: {mode: no_stderr}}
  - {name: gone, command: "echo a", stdio: {mode: separate, delete_on_success: true}}
`,
    );
    await torc(['-s', 'run', path], { cwd: folder });
    const stdio = join(folder, 'torc_output/job_stdio');
    expect(readFileSync(join(stdio, 'job_wf1_j1_r1_a1.log'), 'utf8')).toBe('a\nb\nc\n');
    expect(readFileSync(join(stdio, 'job_wf1_j3_r1_a1.o'), 'utf8')).toBe('a\n');
    const { readdirSync } = await import('node:fs');
    expect(readdirSync(stdio).sort()).toEqual(['job_wf1_j1_r1_a1.log', 'job_wf1_j3_r1_a1.o']);
  });

  it('a job is given devices of its own, and never one that another job has', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      `
name: gpus
parameters: {i: "1:6"}
resource_requirements: [{name: gpu, num_cpus: 1, memory: 1m, num_gpus: 1, runtime: PT1M}]
jobs:
  - name: "g{i}"
    use_parameters: [i]
    resource_requirements: gpu
    command: 'mkdir busy-$CUDA_VISIBLE_DEVICES && echo $TORC_GPU_VISIBLE_DEVICES && sleep 0.05; rmdir busy-$CUDA_VISIBLE_DEVICES'
`,
    );
    const { stderr } = await torc(['-s', 'run', path, '--num-gpus', '2', '--num-cpus', '6'], {
      cwd: folder,
      environment: { CUDA_VISIBLE_DEVICES: undefined },
    });
    expect(stderr).toContain('6 jobs completed in');
  });
});

describe('a runner', () => {
  it('a runner with labels runs only labelled jobs, and one without only the others', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const path = spec(
      folder,
      `
name: labels
compute_node_wait_for_new_jobs_seconds: 1
jobs:
  - {name: plain, command: "true"}
  - {name: special, command: "true", labels: [special]}
`,
    );
    const first = await torc(['--url', server.url, 'run', path], { cwd: folder });
    expect(first.stderr).toContain('1 not run (ready)');
    const status = async () => (await server.client.getWorkflowStatus({ params: { id: 1 } })).unserved_ready_labels;
    expect(await status()).toEqual({ special: 1 });
    const second = await torc(['--url', server.url, 'run', '1', '--label', 'special,more'], { cwd: folder });
    expect(second.stderr).toContain('2 jobs completed');
  });

  it('a runner that is persistent leaves when no job with its labels is open, though others are', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const path = spec(
      folder,
      `
name: labels
compute_node_wait_for_new_jobs_seconds: 1
jobs:
  - {name: plain, command: "true"}
  - {name: special, command: "true", labels: [special]}
`,
    );
    const words = ['--url', server.url, 'run', path, '--label', 'special', '--persistent', '-p', '0.2'];
    const { code, stderr } = await torc(words, { cwd: folder });
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['plain', 'ready'],
      ['special', 'completed'],
    ]);
  });

  it('a runner that is persistent stays while a job with its labels waits for others, however long they take', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const path = spec(
      folder,
      `
name: labels
compute_node_wait_for_new_jobs_seconds: 1
jobs:
  - {name: plain, command: "sleep 3"}
  - {name: special, command: "true", labels: [special], depends_on: [plain]}
`,
    );
    const words = [
      '--url',
      server.url,
      'run',
      path,
      '--label',
      'special',
      '--persistent',
      '-p',
      '0.2',
      '-o',
      'labelled',
    ];
    const labelled = start('torc', words, { cwd: folder });
    await labelled.says('Created workflow 1');
    const plain = await torc(['--url', server.url, 'run', '1'], { cwd: folder });
    expect(plain.code).toBe(0);
    const { code, stderr } = await labelled.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed')]);
  });

  it('a runner keeps to as many jobs as its option says, whatever they need', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      `
name: slots
parameters: {i: "1:12"}
resource_requirements: [{name: huge, num_cpus: 999, memory: 999g, runtime: PT1M}]
jobs:
  - name: "j{i}"
    use_parameters: [i]
    resource_requirements: huge
    command: 'n=$(ls -d run-* 2>/dev/null | wc -l); mkdir run-$TORC_JOB_ID; echo $n; sleep 0.02; rmdir run-$TORC_JOB_ID'
`,
    );
    const { stderr } = await torc(['-s', 'run', path, '--max-parallel-jobs', '3'], { cwd: folder });
    expect(stderr).toContain('12 jobs completed');
    const others = Array.from({ length: 12 }, (_, index) =>
      Number(readFileSync(join(folder, `torc_output/job_stdio/job_wf1_j${index + 1}_r1_a1.o`), 'utf8')),
    );
    expect(Math.max(...others)).toBeLessThan(3);
  });

  it('a runner asks its jobs to end at the first Ctrl-C, gives back what it had not started, and leaves with 130', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const path = spec(
      folder,
      `
name: interrupted
jobs:
  - name: long
    command: 'trap "echo asked; exit 0" TERM; touch began; while true; do sleep 0.05; done'
  - {name: waiting, command: "true"}
`,
    );
    const run = start('torc', ['--url', server.url, 'run', path, '--num-cpus', '1'], { cwd: folder });
    await until(
      () => existsSync(join(folder, 'began')),
      (there) => there,
      'the job to begin',
    );
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect([code, stderr.includes('running jobs are asked to end')]).toEqual([130, true]);
    const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
    expect(Object.fromEntries(items.map(({ name, status }) => [name, status]))).toEqual({
      long: 'completed',
      waiting: 'ready',
    });
  });

  it('a runner kills its jobs at the second Ctrl-C, and calls them terminated', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const path = spec(
      folder,
      `name: stubborn\njobs: [{name: long, command: 'trap "" TERM; touch began; while true; do sleep 0.05; done'}]\n`,
    );
    const run = start('torc', ['--url', server.url, 'run', path], { cwd: folder });
    await until(
      () => existsSync(join(folder, 'began')),
      (there) => there,
      'the job to begin',
    );
    run.child.kill('SIGINT');
    await run.says('are asked to end');
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    const { items } = await server.client.listResults({ query: { workflow_id: 1 } });
    expect(items.map(({ status, return_code }) => [status, return_code])).toEqual([['terminated', 137]]);
  });

  it('a runner ends its jobs when the workflow is canceled', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const path = spec(folder, `name: canceled\njobs: [{name: long, command: 'touch began; exec sleep 600'}]\n`);
    const run = start('torc', ['--url', server.url, 'run', path], { cwd: folder });
    await until(
      () => existsSync(join(folder, 'began')),
      (there) => there,
      'the job to begin',
    );
    await torc(['--url', server.url, 'cancel', '1', '--no-prompts'], { cwd: folder });
    expect((await run.ended).stderr).toContain('the workflow was canceled');
    const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
    expect(items.map(({ status }) => status)).toEqual(['canceled']);
  });

  it('a runner ends its jobs before the end of its time, with the code for that', async () => {
    const folder = temporaryFolder();
    const path = spec(
      folder,
      `
name: limited
execution_config: {sigkill_headroom_seconds: 1, sigterm_lead_seconds: 1}
jobs:
  - {name: polite, command: 'exec sleep 600'}
  - {name: stubborn, command: 'trap "" TERM; while true; do sleep 0.05; done'}
`,
    );
    const { stderr, code } = await torc(['-s', 'run', path, '--time-limit', 'PT4S', '--num-cpus', '2'], {
      cwd: folder,
    });
    expect([code, stderr.includes('the time limit of the runner is near')]).toEqual([0, true]);
    const items = await leftResults(folder);
    expect(
      Object.fromEntries(items.map(({ job_name: name, return_code: rc, status }) => [name, [status, rc]])),
    ).toEqual({
      polite: ['terminated', 143],
      stubborn: ['terminated', 152],
    });
  });

  it('two runners share the jobs, and each job runs once', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const path = spec(
      folder,
      'name: shared\nparameters: {i: "1:60"}\njobs: [{name: "j{i}", use_parameters: [i], command: "echo x >> count; sleep 0.1"}]\n',
    );
    await torc(['--url', server.url, 'create', path], { cwd: folder });
    await torc(['--url', server.url, 'workflows', 'init', '1'], { cwd: folder });
    const runs = ['one', 'two'].map((name) =>
      torc(['--url', server.url, 'run', '1', '--num-cpus', '2', '-o', name], { cwd: folder }),
    );
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0]);
    expect(readFileSync(join(folder, 'count'), 'utf8').split('\n')).toHaveLength(61);
    const { items } = await server.client.listResults({ query: { workflow_id: 1 } });
    expect(new Set(items.map(({ compute_node_id }) => compute_node_id)).size).toBe(2);
  });
});
