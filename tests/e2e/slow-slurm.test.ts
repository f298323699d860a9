import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playSlurm } from '../support/played-slurm.ts';
import { start, startServer, temporaryFolder } from '../support/programs.ts';

const flow = `
name: flow
jobs: [{name: one, command: "true"}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:10:00"}]
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm, num_allocations: 1}
`;

async function place() {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const slurm = playSlurm(join(folder, 'slurm'));
  writeFileSync(join(folder, 'flow.yaml'), flow);
  const submit = (more: Readonly<Record<string, string>> = {}) =>
    start('torc', ['--url', server.url, '-f', 'json', 'submit', 'flow.yaml'], {
      cwd: folder,
      environment: { ...slurm.environment, ...more },
    });
  return { folder, slurm, submit };
}

describe('torc submit while Slurm does not answer', () => {
  it('torc submit says on standard error what it waits for, and for how long, while sbatch hangs', async () => {
    const { folder, slurm, submit } = await place();
    slurm.trouble('sbatch', { before: `until [ -e ${folder}/go ]; do sleep 0.1; done` });
    const submitting = submit();
    await submitting.says('sbatch has not answered for 5 s; waiting for it up to 55 s more');
    writeFileSync(join(folder, 'go'), '');
    const { code, stdout } = await submitting.ended;
    expect([code, slurm.jobs().length]).toEqual([0, 1]);
    expect(JSON.parse(stdout)).toMatchObject({ message: expect.stringContaining('Successfully submitted') });
  });

  it('torc submit says why an attempt failed and when the next one follows, and nothing where sbatch answers', async () => {
    const { folder, slurm, submit } = await place();
    slurm.trouble('sbatch', {
      before: `[ -e ${folder}/tried ] || { touch ${folder}/tried; echo "sbatch: error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }`,
    });
    const { code, stderr } = await submit().ended;
    expect([code, existsSync(join(folder, 'tried')), slurm.jobs().length]).toEqual([0, true, 1]);
    expect(stderr).toMatch(/Unable to contact slurm controller.*; attempt 1 of 6 to submit, the next one in 10 s/);
    expect(stderr).not.toContain('has not answered');
    expect(readFileSync(join(folder, 'slurm/sbatch.calls'), 'utf8').trim().split('\n')).toHaveLength(2);
  });
});

describe('torc submit in a shell with variables of sbatch', () => {
  it('torc submit names the variables of sbatch that it does not use, in one line, and submits', async () => {
    const { slurm, submit } = await place();
    const { code, stderr } = await submit({ SBATCH_ACCOUNT: 'mine', SBATCH_TIMELIMIT: '5', SBATCH_QOS: '' }).ended;
    expect([code, slurm.jobs().length]).toEqual([0, 1]);
    expect(stderr).toContain('SBATCH_ACCOUNT, SBATCH_TIMELIMIT of this shell are not used');
    expect(stderr).not.toContain('SBATCH_QOS');
  });

  it.each(['SBATCH_CLUSTERS', 'SLURM_CLUSTERS'])(
    'torc submit refuses the choice of another cluster: %s',
    async (name) => {
      const { slurm, submit } = await place();
      const { code, stderr } = await submit({ [name]: 'blue' }).ended;
      expect([code, slurm.jobs().length]).toEqual([1, 0]);
      expect(stderr).toContain(`${name}=blue chooses another cluster than that of this machine`);
    },
  );

  it('torc submit takes the name of its own cluster for no choice', async () => {
    const { slurm, submit } = await place();
    slurm.trouble('scontrol', { before: `[ "$*" != 'show config' ] || echo 'ClusterName             = blue'` });
    const { code, stderr } = await submit({ SLURM_CLUSTERS: 'blue' }).ended;
    expect([code, slurm.jobs().length, stderr]).toEqual([0, 1, expect.not.stringContaining('another cluster')]);
  });
});
