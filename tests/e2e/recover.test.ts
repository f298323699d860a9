import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

// Samples alone, everywhere: job-limits.test.ts is about control groups.
vi.stubEnv('TORC_CONTROL_GROUPS', 'off');

const flow = `
name: bad
resource_requirements: [{name: small, num_cpus: 1, memory: 100m, runtime: PT1H}]
files: [{name: out, path: out.txt}]
resource_monitor: {jobs: {enabled: true}, sample_interval_seconds: 1}
jobs:
  - {name: typo, command: nosuchcommand, resource_requirements: small}
  - {name: three, command: "[ -e fixed ] || exit 3", resource_requirements: small}
  - {name: after, command: "true", resource_requirements: small, depends_on: [three]}
  - {name: empty, command: "true", resource_requirements: small, output_files: [out]}
  - {name: killed, command: "[ -e fixed ] || kill -9 $$", resource_requirements: small}
  - {name: greedy, command: '[ -e fixed ] || { printf -v x "%*s" 200000000 ""; sleep 60; }', resource_requirements: small}
  - {name: fine, command: "true", resource_requirements: small}
`;

describe('torc recover where there is no Slurm', () => {
  let server: RunningServer;
  let folder: string;
  beforeAll(async () => {
    folder = temporaryFolder();
    server = await startServer(folder);
    writeFileSync(join(folder, 'flow.yaml'), flow);
  });

  const call = (args: readonly string[], input?: string) =>
    torc(['--url', server.url, ...args], { cwd: folder, ...(input === undefined ? {} : { input }) });
  /** Calls torc on a terminal, and types the keys at its first question. */
  const onTerminal = (args: readonly string[], keys: string) =>
    new Promise<{ readonly code: number | null; readonly shown: string }>((done) => {
      const words = [process.execPath, join(programFolder(), 'torc.mjs'), ...args];
      const child = spawn('/usr/bin/script', ['-qec', words.join(' '), '/dev/null'], {
        cwd: folder,
        env: { ...process.env, USER: 'tester' },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      let shown = '';
      let isAsked = false;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        shown += text;
        if (isAsked || !/\? \[[^\]]+\] /.test(shown)) return;
        isAsked = true;
        child.stdin.write(keys);
      });
      child.once('close', (code) => done({ code, shown }));
    });
  const statuses = async (id: number) =>
    Object.fromEntries(
      (await server.client.listJobs({ query: { workflow_id: id } })).items.map(({ name, status }) => [name, status]),
    );
  /** The new memory of `greedy` as a multiple of its peak. */
  const raised = (text: string) => {
    const [, peak, wanted] = /it used ([\d.]+) of 100 MiB[\s\S]*memory 100m → (\d+)m/.exec(text) ?? [];
    return Number((Number(wanted) / Number(peak)).toFixed(1));
  };
  const failed = async (name: string) => {
    const { stdout } = await call(['create', 'flow.yaml']);
    const id = Number(/\d+/.exec(stdout)?.[0]);
    await server.client.updateWorkflow({ params: { id }, body: { name } });
    await call(['run', String(id), '-p', '0.2']);
    return id;
  };

  it('names the cause of each failure, raises what was missing, runs again what may succeed, and says how', async () => {
    const id = await failed('causes');
    const before = await statuses(id);
    const dry = await call(['-f', 'json', 'recover', String(id), '--dry-run']);
    expect([dry.code, await statuses(id)]).toEqual([0, before]);
    const plan = JSON.parse(dry.stdout) as {
      result: { causes: { job_name: string; cause: string }[]; jobs_to_retry: number[]; oom_fixed: number };
    };
    expect(Object.fromEntries(plan.result.causes.map(({ job_name: name, cause }) => [name, cause]))).toEqual({
      typo: 'not_found',
      three: 'exit',
      empty: 'missing_output',
      killed: 'killed',
      greedy: 'memory',
    });
    expect([plan.result.oom_fixed, plan.result.jobs_to_retry.length]).toEqual([1, 2]);

    const done = await call(['recover', String(id), '--no-prompts']);
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(`torc --url ${server.url} run ${id}`)]);
    expect(raised(done.stdout)).toBe(1.5);
    // The lines of Torc 1.0.0.
    expect(done.stdout).toContain(
      `\nRecovery complete for workflow ${id}\n  - 1 job(s) had memory increased\nReset 2 job(s) for retry.\n`,
    );
    expect(await statuses(id)).toMatchObject({ typo: 'failed', three: 'failed', killed: 'ready', greedy: 'ready' });
    expect((await statuses(id))['fine']).toBe('completed');
    const { items } = await server.client.listEvents({ query: { workflow_id: id } });
    expect(items.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ category: 'recovery', jobs_reset: 2, allocations_submitted: 0 }),
    );
    const query = { workflow_id: id, cause_code: 'memory' as const, all_runs: true };
    const [greedy] = (await server.client.listResults({ query })).items;
    expect(greedy?.cause).toMatch(
      /it used [\d.]+ of 100 MiB; it had 100 MiB; the next attempt has \d+ MiB \(recovery\)$/,
    );
    // The job that was reset waits: a second recover finds only that.
    const again = await call(['-f', 'json', 'recover', String(id), '--no-prompts']);
    expect(JSON.parse(again.stdout)).toMatchObject({ jobs_reset: 0, next: `torc run ${id}` });
  });

  it('torc recover ends with 1 where jobs failed and none of them is repeated, and with 0 in a dry run', async () => {
    writeFileSync(join(folder, 'unknown.yaml'), 'name: unknown\njobs: [{name: three, command: exit 3}]\n');
    const { stdout } = await call(['create', 'unknown.yaml']);
    const id = /\d+/.exec(stdout)?.[0] as string;
    await call(['run', id, '-p', '0.2']);
    const plan = await call(['recover', id, '--dry-run']);
    expect([plan.code, plan.stdout]).toEqual([
      0,
      expect.stringContaining(`[DRY RUN] Summary for workflow ${id}\nNo auto-recoverable jobs found.\n`),
    ]);
    // Its cause is printed: exit code 3.
    const none =
      /^No auto-recoverable jobs found\. 1 job\(s\) failed for causes that a repetition does not change\. Use --retry-unknown/;
    const done = await call(['recover', id, '--no-prompts']);
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining('Recovery failed: No auto-recoverable')]);
    const json = await call(['-f', 'json', 'recover', id]);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      1,
      { jobs_reset: 0, error: expect.stringMatching(none) },
    ]);
  });

  it('torc recover where there is no Slurm asks a person, takes defaults for empty answers, asks again after a wrong one, and needs an answer', async () => {
    const id = await failed('asked');
    const cut = await call(['recover', String(id)], '2\n');
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('the input ended')]);
    const done = await call(['recover', String(id)], 'x\n2\ny\n\n');
    expect(done.stderr).toContain("Invalid choice 'x'");
    expect([done.code, raised(done.stdout)]).toEqual([0, 2]);
    expect(await statuses(id)).toMatchObject({ typo: 'ready', three: 'ready', after: 'blocked', killed: 'ready' });
  });

  // A program of util-linux that makes a terminal.
  it.skipIf(!existsSync('/usr/bin/script'))(
    'Ctrl-C at a question of torc recover or of a confirmation ends the command with exit code 130, and nothing is done',
    async () => {
      const id = await failed('interrupted');
      const before = await statuses(id);
      for (const words of [
        ['recover', String(id)],
        ['delete', String(id)],
      ]) {
        const { code, shown } = await onTerminal(['--url', server.url, ...words], '\u0003');
        expect([words[0], code, shown]).toEqual([words[0], 130, expect.stringContaining('stopped by Ctrl-C')]);
        expect(shown).not.toContain('the input ended');
      }
      expect(await statuses(id)).toEqual(before);
    },
  );

  it('torc recover where there is no Slurm runs the hook before it resets anything, and resets nothing if the hook fails', async () => {
    const id = await failed('hooked');
    const before = await statuses(id);
    const bad = await call(['-f', 'json', 'recover', String(id), '--no-prompts', '--recovery-hook', 'false']);
    expect([bad.code, JSON.parse(bad.stdout)]).toEqual([
      1,
      { workflow_id: id, dry_run: false, error: expect.stringContaining('false ended with exit code 1') },
    ]);
    expect(await statuses(id)).toEqual(before);
    const hook = `sh -c 'echo "$1 $TORC_WORKFLOW_ID" > hook.txt' hook`;
    const done = await call(['recover', String(id), '--no-prompts', '--recovery-hook', hook]);
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    expect(await statuses(id)).toMatchObject({ typo: 'ready', three: 'ready', empty: 'ready', killed: 'ready' });
  });

  it('torc recover where there is no Slurm refuses a workflow that is complete, and one that another command recovers at this time', async () => {
    const { stdout } = await call(['create', '-'], 'name: ok\njobs: [{name: a, command: "true"}]\n');
    const id = Number(/\d+/.exec(stdout)?.[0]);
    const fresh = await call(['recover', String(id), '--no-prompts']);
    const again = `it was never initialized; torc --url ${server.url} run ${id} or torc --url ${server.url} submit ${id} starts it\n`;
    expect([fresh.code, fresh.stderr]).toEqual([1, expect.stringContaining(again)]);
    await call(['run', String(id), '-p', '0.2']);
    const complete = await call(['recover', String(id), '--no-prompts']);
    expect([complete.code, complete.stderr]).toEqual([1, expect.stringContaining('no job failed and none waits')]);
    const body = { token: 't', holder: 'torc watch (process 7 on n1)', seconds: 60 };
    await server.client.takeRecoveryLease({ params: { id }, body });
    const second = await call(['recover', String(id), '--no-prompts']);
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining('being recovered by torc watch (process 7 on n1)'),
    ]);
  });

  it('torc recover where there is no Slurm takes the jobs of a runner that was killed back, with everything that had ended', async () => {
    writeFileSync(
      join(folder, 'long.yaml'),
      'name: long\njobs: [{name: a, command: "true"}, {name: b, command: "[ -e go ] || sleep 600"}]\n',
    );
    const { stdout } = await call(['create', 'long.yaml']);
    const id = Number(/\d+/.exec(stdout)?.[0]);
    const runner = start('torc', ['--url', server.url, 'run', String(id), '-p', '0.2'], { cwd: folder });
    await until(
      () => statuses(id),
      ({ a, b }) => a === 'completed' && b === 'running',
      'b to run',
    );
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } });
    process.kill(items[0]?.pid as number, 'SIGKILL');
    await runner.ended;
    const done = await call(['recover', String(id), '--no-prompts']);
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('run')]);
    expect(await statuses(id)).toEqual({ a: 'completed', b: 'ready' });
  });

  const undecided = `
name: undecided
use_pending_failed: true
resource_requirements: [{name: small, num_cpus: 1, memory: 100m, runtime: PT1H}]
jobs:
  - {name: network, command: "[ -e up ] || exit 9", resource_requirements: small}
  - {name: typo, command: nosuchcommand, resource_requirements: small}
  - {name: killed, command: "[ -e up ] || kill -9 $$", resource_requirements: small}
`;
  const waitingForDecision = async () => {
    writeFileSync(join(folder, 'undecided.yaml'), undecided);
    const id = Number(/\d+/.exec((await call(['create', 'undecided.yaml'])).stdout)?.[0]);
    await call(['run', String(id), '-p', '0.2']);
    expect(await statuses(id)).toEqual({ network: 'pending_failed', typo: 'pending_failed', killed: 'pending_failed' });
    return id;
  };

  it('jobs that wait for a decision are classified by rules, and only those that rules do not know stay undecided', async () => {
    const id = await waitingForDecision();
    const { stdout } = await call(['-f', 'json', 'recover', String(id), '--no-prompts']);
    const { result } = JSON.parse(stdout) as { result: { causes: { job_name: string; cause: string }[] } };
    expect(Object.fromEntries(result.causes.map(({ job_name: name, cause }) => [name, cause]))).toEqual({
      network: 'undecided',
      typo: 'not_found',
      killed: 'killed',
    });
    expect(await statuses(id)).toEqual({ network: 'pending_failed', typo: 'pending_failed', killed: 'ready' });
  });

  it('an agent decides about jobs with the commands of torc, and finds the request on its standard input', async () => {
    const id = await waitingForDecision();
    const { items } = await server.client.listJobs({ query: { workflow_id: id, name: 'network' } });
    const program = join(programFolder(), 'torc.mjs');
    const script = `cat > request.txt; echo "$TORC_WORKFLOW_ID" > about.txt; ${process.execPath} ${program} jobs reset-status ${items[0]?.id} --reinit --no-prompts`;
    writeFileSync(join(folder, 'agent.sh'), script);
    const done = await call(['recover', String(id), '--no-prompts', '--ai-recovery', '--ai-agent', 'sh agent.sh']);
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
    const request = readFileSync(join(folder, 'request.txt'), 'utf8');
    expect(request).toContain(`Workflow ${id} of torc has 3 job(s) with status pending_failed`);
    expect(request).toContain(`- ${items[0]?.id} network`);
    expect(readFileSync(join(folder, 'about.txt'), 'utf8')).toBe(`${id}\n`);
    expect(await statuses(id)).toEqual({ network: 'ready', typo: 'pending_failed', killed: 'ready' });
  });

  it('an agent that fails, or that is not there, is an error before anything is reset', async () => {
    const id = await waitingForDecision();
    const before = await statuses(id);
    const failing = await call(['recover', String(id), '--no-prompts', '--ai-recovery', '--ai-agent', 'false']);
    expect([failing.code, failing.stderr]).toEqual([
      1,
      expect.stringContaining('false ended with exit code 1; nothing was reset'),
    ]);
    const absent = await call(['recover', String(id), '--no-prompts', '--ai-recovery', '--ai-agent', 'no-such-agent']);
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('no-such-agent')]);
    expect(await statuses(id)).toEqual(before);
  });
});
