import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, torc, until } from '../../support/programs.ts';
import { nastyPlace, OK } from '../../support/nasty.ts';

/** What the execution settings of a workflow do, against real jobs. */

describe('a runner says in its log how it runs jobs', () => {
  it.each([
    ['', 'true'],
    ['execution_config: {limit_resources: false}', 'false'],
  ])('a runner says in its log how it runs jobs with the settings "%s"', async (more, isLimited) => {
    const { run } = await nastyPlace();
    const { log } = await run('  - {name: a, command: "true"}\n', { more });
    expect(log).toMatch(
      new RegExp(` INFO Job runner starting workflow_id=1 .*execution_mode=Direct limit_resources=${isLimited}\n`),
    );
  });

  it('a runner says in its log how it runs jobs and which settings it cannot use, in whose place the defaults count', async () => {
    const { run } = await nastyPlace();
    const { ends, log, stderr } = await run('  - {name: a, command: "true"}\n', {
      more: 'execution_config: {termination_signal: SIGFOO, timeout_exit_code: 300}',
    });
    expect(ends).toEqual({ a: OK });
    expect(stderr).toMatch(/^warning: \S+: execution_config\.termination_signal: termination_signal is SIGFOO/m);
    expect(log).toContain(
      'WARN execution_config: timeout_exit_code is 300: expected an exit code of 1 to 255; 152 is used',
    );
  });
});

it('time limits hold also where resources are not limited', async () => {
  const { run } = await nastyPlace();
  const { ends } = await run('  - {name: long, command: exec sleep 600}\n', {
    more: 'execution_config: {limit_resources: false, sigkill_headroom_seconds: 1, sigterm_lead_seconds: 1}',
    args: ['--time-limit', 'PT4S'],
  });
  expect(ends).toEqual({ long: ['terminated', 143] });
});

it('a runner is gone by the end of its time, and the ends of its jobs are reported', async () => {
  const { run, server } = await nastyPlace();
  const { code, ends } = await run(`  - {name: deaf, command: 'trap "" TERM; while :; do sleep 0.05; done'}\n`, {
    more: 'execution_config: {sigkill_headroom_seconds: 2, sigterm_lead_seconds: 1}',
    args: ['--time-limit', 'PT6S'],
  });
  expect([code, ends]).toEqual([0, { deaf: ['terminated', 152] }]);
  const { items } = await server.client.listComputeNodes({ query: { workflow_id: 1 } });
  const [node] = items;
  expect(node?.is_active).toBe(false);
  const endMs = Date.parse(node?.end_time ?? '');
  expect(Date.parse(node?.start_time ?? '') + (node?.duration_seconds ?? Infinity) * 1000).toBeLessThan(endMs);
});

it('a runner that gets SIGTERM ends its jobs as at the end of its time: asked first, killed after the lead', async () => {
  const { folder, server } = await nastyPlace();
  writeFileSync(
    join(folder, 'flow.yaml'),
    `name: ended
execution_config: {sigterm_lead_seconds: 1}
jobs:
  - {name: polite, command: 'trap "exit 0" TERM; touch one; while :; do sleep 0.05; done'}
  - {name: deaf, command: 'trap "" TERM; touch two; while :; do sleep 0.05; done'}
`,
  );
  const runner = start('torc', ['--url', server.url, 'run', 'flow.yaml', '--num-cpus', '2'], { cwd: folder });
  await until(
    () => existsSync(join(folder, 'one')) && existsSync(join(folder, 'two')),
    (both) => both,
    'both jobs to begin',
  );
  runner.child.kill('SIGTERM');
  expect((await runner.ended).code).toBe(143);
  const { items } = await server.client.listResults({ query: { workflow_id: 1 } });
  expect(
    Object.fromEntries(items.map(({ job_name: name, status, return_code: code }) => [name, [status, code]])),
  ).toEqual({
    polite: ['completed', 0],
    deaf: ['terminated', 137],
  });
});

it('a setting of the other mode is refused where a workflow is created, by its name, and nothing is created', async () => {
  const { folder, server } = await nastyPlace();
  writeFileSync(
    join(folder, 'flow.yaml'),
    'name: x\nexecution_config: {mode: slurm, limit_resources: false, oom_exit_code: 9}\njobs: [{name: a, command: "true"}]\n',
  );
  const { code, stderr } = await torc(['--url', server.url, 'create', 'flow.yaml'], { cwd: folder });
  expect(code).toBe(1);
  expect(stderr).toMatch(/execution_config\.limit_resources: .*only supported in direct mode/);
  expect(stderr).toMatch(/execution_config\.oom_exit_code: .*only supported in direct mode/);
  expect((await server.client.listWorkflows({ query: {} })).items).toEqual([]);
});
