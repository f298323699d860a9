import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/agents/tools/all.ts';
import { type Answer, connectAgent } from '../support/mcp.ts';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** The tools of `torc-mcp-server` that change something, and a session that repairs a workflow with them. */

let folder: string;
let server: RunningServer;
const agent = (...args: string[]) => connectAgent(folder, ['--api-url', server.url, ...args]);
const run = (...words: string[]) => torc(['--url', server.url, 'run', ...words], { cwd: folder });

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
});

const spec = (name: string, jobs: readonly object[], more: object = {}) => JSON.stringify({ name, jobs, ...more });
const two = (name: string) =>
  spec(name, [
    { name: 'a', command: 'true' },
    { name: 'b', command: 'true' },
  ]);

type Call = (name: string, given?: Record<string, unknown>) => Promise<Answer>;

async function created(call: Call, text: string): Promise<number> {
  const { json } = await call('create_workflow', { spec_json: text });
  return json['workflow_id'] as number;
}

const jobsOf = async (id: number) =>
  new Map((await server.client.listJobs({ query: { workflow_id: id } })).items.map((job) => [job.name, job]));

describe('a scripted session', () => {
  it('a workflow that failed for memory, a missing file and a wrong command completes after six calls', async () => {
    // Each of the three is what a person would meet; the session knows nothing that the replies do not say.
    writeFileSync(
      join(folder, 'broken.json'),
      spec(
        'broken',
        [
          { name: 'greedy', command: GREEDY, resource_requirements: 'small' },
          { name: 'reader', command: 'cat input.txt', resource_requirements: 'small' },
          { name: 'typing', command: 'ehco hello', resource_requirements: 'small' },
          { name: 'last', command: 'true', depends_on: ['greedy', 'reader', 'typing'], resource_requirements: 'small' },
        ],
        { resource_requirements: [{ name: 'small', num_cpus: 1, memory: '100m', runtime: 'PT5M' }], ...MONITORED },
      ),
    );
    await run('broken.json');
    const id = await newest();
    const { call } = await agent();
    let calls = 0;
    const counted: Call = (...given) => {
      calls += 1;
      return call(...given);
    };

    const { json: wrong } = await counted('explain_workflow', { workflow_id: id });
    const failures = wrong['failures'] as Failure[];
    const withLine = (line: RegExp) =>
      failures.find(({ stderr_tail: tail }) => tail?.lines.some((each) => line.test(each))) as Failure;
    expect(failures.flatMap(({ example }) => example.reasons.map(({ code }) => code))).toContain('out_of_memory');
    const [, path = ''] =
      /cat: (\S+): No such file/.exec(withLine(/No such file/).stderr_tail?.lines.join('\n') ?? '') ?? [];
    writeFileSync(join(folder, path), 'input\n');
    const { example } = withLine(/ehco.*not found/);

    const changes = [{ job_id: example.job_id, command: example.command.replace('ehco', 'echo') }];
    await counted('change_job_commands', { workflow_id: id, changes, dry_run: false });
    const { json: plan } = await counted('recover_workflow', { workflow_id: id, dry_run: true, retry_unknown: true });
    expect(plan).toMatchObject({ dry_run: true });
    const { json: done } = await counted('recover_workflow', { workflow_id: id, dry_run: false, retry_unknown: true });
    expect(done).toMatchObject({ dry_run: false, next: `torc --url ${server.url} run ${id}` });

    // An agent runs this in its shell: the fifth call.
    calls += 1;
    await torc((done['next'] as string).split(' ').slice(1), { cwd: folder });
    const { json: status } = await counted('get_workflow_status', { workflow_id: id });
    expect(status).toMatchObject({ is_complete: true, jobs_by_status: { completed: 4, failed: 0, canceled: 0 } });
    expect(calls).toBeLessThanOrEqual(6);
  });
});

/** Holds more than 100 MiB for two samples of its runner. */
const GREEDY = "node -e 'const kept = Buffer.alloc(150 * 2 ** 20, 1); setTimeout(() => kept.length, 2500)'";
const MONITORED = { resource_monitor: { sample_interval_seconds: 1, jobs: { enabled: true } } };

interface Failure {
  readonly example: {
    readonly job_id: number;
    readonly command: string;
    readonly reasons: readonly { readonly code: string }[];
  };
  readonly stderr_tail?: { readonly lines: readonly string[] };
}

const newest = async () =>
  Math.max(...(await server.client.listWorkflows({ query: { user: 'tester' } })).items.map(({ id }) => id as number));

describe('a tool that changes something', () => {
  it('create_workflow checks, saves and creates, and refuses a specification with all of its problems', async () => {
    const { call } = await agent();
    const given = { spec_json: two('made') };
    expect((await call('create_workflow', { ...given, action: 'validate' })).json).toMatchObject({
      valid: true,
      summary: { job_count: 2 },
    });
    const saved = { ...given, action: 'save_spec_file', output_path: join(folder, 'saved.json') };
    await call('create_workflow', saved);
    expect(JSON.parse(readFileSync(join(folder, 'saved.json'), 'utf8'))).toEqual(JSON.parse(two('made')));
    expect((await call('create_workflow', saved)).isError).toBe(true);
    const { json } = await call('create_workflow', { ...given, user: 'ada' });
    const id = json['workflow_id'] as number;
    expect(await server.client.getWorkflow({ params: { id } })).toMatchObject({ name: 'made', user: 'ada' });
    expect(json['next']).toBe(`torc --url ${server.url} run ${id}`);

    const before = await newest();
    const { isError, json: refused } = await call('create_workflow', {
      spec_json: spec('bad', [
        { name: 'a', comand: 'true' },
        { name: 'b', command: 'true', depends_on: ['c'] },
      ]),
    });
    expect(isError).toBe(true);
    expect((refused['problems'] as object[]).length).toBeGreaterThanOrEqual(2);
    expect(await newest()).toBe(before);
  });

  it('update_job_resources changes one job, and another with the same requirements keeps them', async () => {
    const { call } = await agent();
    const id = await created(call, two('resources'));
    const [a, b] = [(await jobsOf(id)).get('a'), (await jobsOf(id)).get('b')];
    const { json } = await call('update_job_resources', { job_id: a?.id, memory: '2g', num_cpus: 2 });
    expect(json).toMatchObject({ resource_requirements: { memory: '2g', num_cpus: 2 } });
    const after = await jobsOf(id);
    expect(after.get('b')?.resource_requirements_id).toBe(b?.resource_requirements_id);
    expect(after.get('a')?.resource_requirements_id).not.toBe(b?.resource_requirements_id);
    expect((await call('update_job_resources', { job_id: a?.id })).isError).toBe(true);
    expect((await call('update_job_resources', { job_id: a?.id, memory: 'much' })).isError).toBe(true);
  });

  it('regroup_job_resources changes nothing in a dry run, then gives each group a record of its own', async () => {
    const { call } = await agent();
    const id = await created(call, two('groups'));
    const job = (await jobsOf(id)).get('a');
    const groups = [{ memory: '3g', num_cpus: 3, runtime: 'PT1H', name: 'big', job_ids: [job?.id] }];
    await call('regroup_job_resources', { workflow_id: id, groups, dry_run: true });
    expect((await jobsOf(id)).get('a')).toEqual(job);
    await call('regroup_job_resources', { workflow_id: id, groups, dry_run: false });
    const needs = (await jobsOf(id)).get('a')?.resource_requirements_id as number;
    expect(await server.client.getResourceRequirements({ params: { id: needs } })).toMatchObject({
      name: 'big',
      memory: '3g',
    });
    const twice = [...groups, ...groups];
    expect((await call('regroup_job_resources', { workflow_id: id, groups: twice, dry_run: false })).isError).toBe(
      true,
    );
  });

  it('classify_and_resolve_failures runs one job again with more memory, and fails the other', async () => {
    const text = spec(
      'undecided',
      [
        { name: 'a', command: 'test -e done.txt' },
        { name: 'b', command: 'exit 4' },
      ],
      { use_pending_failed: true },
    );
    writeFileSync(join(folder, 'undecided.json'), text);
    await run('undecided.json');
    const id = await newest();
    const { call } = await agent();
    const { json } = await call('list_pending_failed_jobs', { workflow_id: id });
    expect(json).toMatchObject({ total_count: 2 });
    const jobs = await jobsOf(id);
    const classifications = [
      { job_id: jobs.get('a')?.id, action: 'retry', memory: '2g', reason: 'it was interrupted' },
      { job_id: jobs.get('b')?.id, action: 'fail' },
    ];
    const given = { workflow_id: id, classifications };
    await call('classify_and_resolve_failures', { ...given, dry_run: true });
    expect((await jobsOf(id)).get('b')?.status).toBe('pending_failed');
    const decided = await call('classify_and_resolve_failures', { ...given, dry_run: false });
    expect(decided.isError, decided.text).toBe(false);
    const after = await jobsOf(id);
    expect([after.get('a')?.status, after.get('b')?.status]).toEqual(['ready', 'failed']);
    expect((await call('classify_and_resolve_failures', { ...given, dry_run: false })).isError).toBe(true);
  });

  it('change_job_commands shows what it would change, and refuses a job of another workflow', async () => {
    const { call } = await agent();
    const id = await created(call, two('commands'));
    const job = (await jobsOf(id)).get('a')?.id;
    const given = { workflow_id: id, changes: [{ job_id: job, command: 'false' }] };
    const { json } = await call('change_job_commands', { ...given, dry_run: true });
    expect(json['changes']).toEqual([{ job_id: job, name: 'a', before: 'true', after: 'false' }]);
    expect((await jobsOf(id)).get('a')?.command).toBe('true');
    await call('change_job_commands', { ...given, dry_run: false });
    expect((await jobsOf(id)).get('a')?.command).toBe('false');
    const { isError, json: refused } = await call('change_job_commands', {
      ...given,
      workflow_id: id - 1,
      dry_run: true,
    });
    expect([isError, refused['code']]).toEqual([true, 'JOB_ELSEWHERE']);
  });

  it('list_out_of_date names what an edited input and a deleted output make run, and run_again makes it ready', async () => {
    for (const name of ['in_1', 'in_2']) writeFileSync(join(folder, name), 'one\n');
    const job = (i: number) => ({
      name: `copy_${i}`,
      command: `cp in_${i} out_${i}`,
      inputs: [`in_${i}`],
      outputs: [`out_${i}`],
    });
    const last = { name: 'sum', command: 'cat out_* > sum', inputs: ['out_1', 'out_2'], outputs: ['sum'] };
    const fails = { name: 'fails', command: 'test -e in_3' };
    writeFileSync(join(folder, 'files.json'), spec('files', [job(1), job(2), last, fails]));
    await run('files.json');
    const { call } = await agent();
    const given = { workflow_id: 'files' };
    const names = async () => {
      const { json } = await call('list_out_of_date', given);
      return (json['would_run'] as { job_name: string }[]).map(({ job_name: name }) => name);
    };
    expect(await names()).toEqual([]);
    expect((await call('run_again', given)).json).not.toHaveProperty('next');

    writeFileSync(join(folder, 'in_2'), 'another\n');
    const { json } = await call('list_out_of_date', given);
    expect(json).toMatchObject({
      counts: { would_run: 2, stay_failed: 1 },
      would_run: [
        { job_name: 'copy_2', reasons: [{ kind: 'input', file: 'in_2' }] },
        { job_name: 'sum', reasons: [{ kind: 'job', job_name: 'copy_2' }] },
      ],
      stay_failed: [{ job_name: 'fails' }],
    });
    // Looking changed nothing.
    expect(await names()).toEqual(['copy_2', 'sum']);
    const again = await call('run_again', { ...given, retry_failed: true });
    const id = await newest();
    expect(again.json).toMatchObject({ ready: 2, blocked: 1, next: `torc --url ${server.url} run ${id}` });
    writeFileSync(join(folder, 'in_3'), '');
    await run(String(id));
    expect(readFileSync(join(folder, 'sum'), 'utf8')).toBe('one\nanother\n');
    expect((await jobsOf(id)).get('fails')?.status).toBe('completed');
  });

  it('recover_workflow refuses a workflow that has nothing to recover, with the reason', async () => {
    const { call } = await agent();
    const id = await created(call, two('fresh'));
    const { isError, text } = await call('recover_workflow', { workflow_id: id, dry_run: true });
    expect(isError).toBe(true);
    expect(text).toContain('cannot be recovered');
    expect((await call('recover_workflow', { workflow_id: id })).text).toMatch(/dry_run/);
  });
});

describe('the hints of the tools', () => {
  it('with --read-only every tool is left out that changes something, and only those', async () => {
    const all = await (await agent()).client.listTools();
    const { tools: reading } = await (await agent('--read-only')).client.listTools();
    expect(all.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(reading).toEqual(all.tools.filter(({ annotations }) => annotations?.readOnlyHint === true));
    expect(all.tools.length - reading.length).toBe(7);
    const { call } = await agent('--read-only');
    await expect(call('recover_workflow', { workflow_id: 1, dry_run: false })).rejects.toThrow(/recover_workflow/);
  });

  it('tools that remove results say that they are destructive, and those that set values that they may be repeated', async () => {
    const found = (await (await agent()).client.listTools()).tools;
    const named = (hint: 'destructiveHint' | 'idempotentHint') =>
      found.filter(({ annotations }) => annotations?.[hint] === true && annotations.readOnlyHint !== true);
    expect(named('destructiveHint').map(({ name }) => name)).toEqual([
      'recover_workflow',
      'run_again',
      'change_job_commands',
      'classify_and_resolve_failures',
    ]);
    expect(named('idempotentHint').map(({ name }) => name)).toEqual(['update_job_resources']);
  });

  it('three prompts lead an agent through a diagnosis, a new workflow and new requirements', async () => {
    const { client } = await agent();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['diagnose', 'write_workflow', 'right_size']);
    const names = new Set(tools.map(({ name }) => name));
    for (const [name, given] of [
      ['diagnose', { workflow_id: '1' }],
      ['write_workflow', { task: 'count words' }],
      ['right_size', { workflow_id: '1' }],
    ] as const) {
      const { messages } = await client.getPrompt({ name, arguments: given });
      const [message] = messages;
      const text = message?.content.type === 'text' ? message.content.text : '';
      const mentioned = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
      const fields = new Set(['dry_run']);
      expect(mentioned.filter((word) => !names.has(word) && !fields.has(word))).toEqual([]);
      expect(mentioned.length).toBeGreaterThan(1);
    }
  });
});
