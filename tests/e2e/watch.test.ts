import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start, startServer, temporaryFolder, torc } from '../support/programs.ts';

const flow = (name: string, more = '') => `name: ${name}\n${more}jobs: [{ name: only, command: 'true' }]\n`;

it('torc watch of a workflow without a runner ends with 1 and the next command, unless a runner starts or another command recovers it', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const environment = { TORC_API_URL: server.url };
  const call = (...words: string[]) => torc(words, { cwd: folder, environment });
  const created = async (name: string, more?: string) => {
    writeFileSync(join(folder, `${name}.yaml`), flow(name, more));
    const { stdout } = await call('-f', 'json', 'create', `${name}.yaml`);
    return (JSON.parse(stdout) as { workflow_id: number }).workflow_id;
  };
  const watch = (id: number) => start('torc', ['watch', String(id), '-o', `out_${id}`], { cwd: folder, environment });
  const [left, begun, recovered] = [await created('left'), await created('begun'), await created('recovered')];
  const body = { token: 't', holder: 'torc recover (process 7 on n1)', seconds: 60 };
  await server.client.takeRecoveryLease({ params: { id: recovered }, body });
  const watching = { recovered: watch(recovered), begun: watch(begun) };
  for (const each of Object.values(watching)) await each.says('No runner works on this workflow: waiting 10 s');
  // Its 10 s end after those of the others.
  const last = watch(left);
  expect((await call('run', String(begun))).code).toBe(0);
  expect((await watching.begun.ended).code).toBe(0);
  const { code, stderr } = await last.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('1 job(s) wait, and nothing runs them')]);
  expect(stderr).toContain(`To start one: torc run ${left}`);
  expect((await call('run', String(recovered))).code).toBe(0);
  expect((await watching.recovered.ended).code).toBe(0);
});

it('torc watch reports the end of a workflow with schedulers that was run without them, and refuses one that was never submitted', async () => {
  const folder = temporaryFolder();
  const schedulers = 'slurm_schedulers: [{ name: nodes, account: any, walltime: "00:10:00" }]\n';
  writeFileSync(join(folder, 'flow.yaml'), flow('scheduled', schedulers));
  const call = (...words: string[]) => torc(['-s', ...words], { cwd: folder });
  const made = await call('create', 'flow.yaml');
  expect(made.code, made.stderr).toBe(0);
  const refused = await call('watch', '1');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('No scheduled compute nodes found')]);
  expect((await call('run', '1')).code).toBe(0);
  const done = await call('watch', '1');
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('completed successfully (1 jobs)')]);
});
