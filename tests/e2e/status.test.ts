import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { said } from '../support/words.ts';

/** What commands to a server print, in a folder: runners are programs of their own, and other commands run in this process. */
const commandsOf =
  ({ url }: RunningServer, folder: string) =>
  async (...words: string[]): Promise<string> => {
    const all = ['--url', url, ...words];
    if (words[0] === 'run') return (await torc(all, { cwd: folder })).stdout.trimEnd();
    const inFolder = all.map((word) => (/^[a-z]+\.(?:yaml|json)$/.test(word) ? join(folder, word) : word));
    return (await said(inFolder, {})).stdout.trimEnd();
  };

const FLOW = `
name: flow
jobs:
  - {name: long, command: 'exec sleep 600'}
  - {name: after, command: 'true', depends_on: [long]}
`;

it('status of a workflow says whether a runner works on it, and otherwise the command that starts one', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  const call = commandsOf(server, folder);
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  const status = async () => {
    const last = (await call('status', '1')).split('\n').at(-1);
    const { live_runners, lost_compute_nodes } = JSON.parse(await call('-f', 'json', 'status', '1')) as Record<
      string,
      unknown
    >;
    return { last, live_runners, lost_compute_nodes };
  };

  await call('create', 'flow.yaml');
  expect(await status()).toEqual({
    last: `No runner works on this workflow. To start one: torc --url ${server.url} run 1`,
    live_runners: 0,
    lost_compute_nodes: [],
  });

  const run = start('torc', [...url, 'run', '1'], { cwd: folder });
  await until(
    async () => (await server.client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status.running,
    (running) => running === 1,
    'the job to run',
  );
  expect(await status()).toEqual({ last: '◷ Workflow in progress...', live_runners: 1, lost_compute_nodes: [] });

  run.child.kill('SIGKILL');
  await run.ended;
  expect(await status()).toEqual({
    last: `No runner works on this workflow: compute node 1 has ended without reporting it. To start one: torc --url ${server.url} run 1`,
    live_runners: 0,
    lost_compute_nodes: [1],
  });
  expect((await torc([...url, 'jobs', 'explain', '1'], { cwd: folder })).stdout).toMatch(
    /^Job 1 \(.*\) is lost: its runner on .* has ended without reporting it\n.*\n\n(?:.*\n)*Next:\n {2}take it back: torc --url .* run 1$/m,
  );

  // Ends the job that the killed runner left.
  const again = start('torc', [...url, 'run', '1'], { cwd: folder });
  await again.says('is lost; its jobs were recovered');
  again.child.kill('SIGINT');
  await again.ended;
  expect(await status()).toMatchObject({
    last: expect.stringContaining(`torc --url ${server.url} run 1`),
    live_runners: 0,
    lost_compute_nodes: [],
  });
});

it('status of a workflow that ended with failures says the command that runs them again, and after a success none', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  const flow = (command: string) => `name: flow\njobs: [{name: only, command: '${command}'}]\n`;
  writeFileSync(join(folder, 'fails.yaml'), flow('exit 3'));
  writeFileSync(join(folder, 'works.yaml'), flow('true'));
  await torc([...url, 'run', 'fails.yaml'], { cwd: folder });
  await torc([...url, 'run', 'works.yaml'], { cwd: folder });
  const last = async (id: string) =>
    (await torc([...url, 'status', id], { cwd: folder })).stdout.trimEnd().split('\n').at(-1);
  expect(await last('1')).toBe(`To run the failed jobs again: torc --url ${server.url} run 1 --retry-failed`);
  expect(await last('2')).toBe('✓ Workflow complete');
});

const IN_SLURM = `
name: in_slurm
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:10:00"}]
jobs: [{name: only, command: 'exit 3'}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm}]
`;

it('status of a workflow with Slurm schedulers names torc submit before its first submission, then torc recover, and never torc run', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const call = commandsOf(server, folder);
  const last = async () => (await call('status', '1')).split('\n').at(-1);
  writeFileSync(join(folder, 'flow.yaml'), IN_SLURM);
  await call('create', 'flow.yaml');
  const start = 'No runner works on this workflow. To start one:';
  expect(await last()).toBe(`${start} torc --url ${server.url} submit 1`);
  await call('workflows', 'init', '1', '--no-prompts');
  expect(await last()).toBe(`${start} torc --url ${server.url} submit 1`);
  const explained = async () => call('jobs', 'explain', '1');
  expect(await explained()).toContain(`torc --url ${server.url} submit 1`);

  await server.client.claimWorkflowAction({ params: { id: 1, action_id: 1 }, body: {} });
  expect(await last()).toBe(`${start} torc --url ${server.url} recover 1`);
  expect(await explained()).toContain(`torc --url ${server.url} recover 1`);

  await call('run', '1');
  expect(await last()).toBe(`To run the failed jobs again: torc --url ${server.url} recover 1`);
  await server.client.cancelWorkflow({ params: { id: 1 } });
  expect(await last()).toContain(
    `torc --url ${server.url} workflows reset-status 1 --failed-only --reinitialize, then torc --url ${server.url} recover 1`,
  );
});

/** A workflow file and the commands of a person in a folder with a server of its own. */
async function person(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const call = commandsOf(server, folder);
  const state = async (id: number) => {
    const { state: word } = JSON.parse(await call('-f', 'json', 'status', String(id))) as { state: string };
    const [, line] = /^  State: (.*)$/m.exec(await call('status', String(id))) ?? [];
    const row = (await call('workflows', 'list'))
      .split('\n')
      .find((each) => each.startsWith('│') && each.includes(` ${id} │`));
    expect([line, row]).toEqual([word, expect.stringContaining(` ${word} `)]);
    return word;
  };
  return { server, call, state };
}

const ONE = "name: one\njobs: [{name: only, command: 'true'}]\n";

it('status and the list of workflows say in the same words that one was never run, is canceled, was reset or is finished', async () => {
  const { call, state } = await person({ 'one.yaml': ONE });
  await call('create', 'one.yaml');
  expect(await state(1)).toBe('never run');
  expect(await call('status', '1')).not.toContain('in progress');
  await call('cancel', '1', '--no-prompts');
  expect(await state(1)).toBe('canceled');
  expect(await call('status', '1')).toContain('✗ Workflow canceled');
  await call('run', 'one.yaml', '--new');
  expect(await state(2)).toBe('finished');
  await call('workflows', 'reset-status', '2', '--no-prompts');
  expect(await state(2)).toBe('reset');
});

it('status of an imported workflow says whether all of its jobs had completed elsewhere', async () => {
  const { call, state } = await person({
    'one.yaml': ONE,
    'two.yaml': "name: two\njobs: [{name: good, command: 'true'}, {name: bad, command: 'exit 3'}]\n",
  });
  for (const [id, name] of [
    [1, 'one'],
    [2, 'two'],
  ] as const) {
    await call('run', `${name}.yaml`);
    await call('workflows', 'export', String(id), '--include-results', '-o', `${name}.json`);
  }
  await call('workflows', 'import', 'one.json');
  expect(await state(3)).toBe('finished');
  expect(await call('status', '3')).toMatch(
    /imported with its results: its job had completed[^]*To run its jobs here: .* run 3$/,
  );
  await call('workflows', 'import', 'two.json');
  expect(await state(4)).toBe('imported');
  expect(await call('status', '4')).toContain('1 of 2 jobs had completed');
  await call('workflows', 'import', 'one.json', '--skip-results');
  expect(await state(5)).toBe('never run');
});

it('status counts the attempts after which jobs were tried again', async () => {
  const { call } = await person({
    'retry.yaml':
      "name: retry\nfailure_handlers: [{name: h, rules: [{exit_codes: [3], max_retries: 3}]}]\njobs: [{name: bad, command: 'exit 3', failure_handler: h}, {name: good, command: 'true'}]\n",
    'one.yaml': ONE,
  });
  await call('run', 'retry.yaml');
  expect(await call('status', '1')).toContain('\nRetries: 2\n');
  await call('run', 'one.yaml');
  expect(await call('status', '2')).not.toContain('Retries');
});

it('status of jobs that are wider than the machine names explain, and no run that would take none of them', async () => {
  const { server, call } = await person({
    'wide.yaml':
      "name: wide\nresource_requirements: [{name: big, num_cpus: 9999, memory: 1m, runtime: PT1M}]\njobs: [{name: b, command: 'true', resource_requirements: big}]\n",
  });
  await call('run', 'wide.yaml');
  const words = await call('status', '1');
  expect(words).toContain(
    `No runner works on this workflow, and one like the last could take none of its ready jobs: torc --url ${server.url} jobs explain 1\n`,
  );
  expect(words).not.toContain('run 1');
  expect(await call('jobs', 'explain', '1')).not.toContain('run 1');
});
