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
  const submit = () =>
    start('torc', ['--url', server.url, '-f', 'json', 'submit', 'flow.yaml'], {
      cwd: folder,
      environment: slurm.environment,
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
