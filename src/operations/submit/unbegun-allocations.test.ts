import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { unbegunAllocations, unbegunLines } from './unbegun-allocations.ts';

interface Slurm {
  /** What scontrol prints of a job; where it does not know the job, sacct is asked. */
  readonly scontrol?: string;
  readonly sacct?: string;
}

/** A workflow with allocations, the newest first, and a Slurm that knows how they ended. */
async function foundOf(
  allocations: readonly { readonly job: number; readonly status?: string; readonly hasRunner?: boolean }[],
  slurm: (folder: string) => Slurm,
) {
  const folder = temporaryFolder();
  const { scontrol = 'exit 1', sacct = 'exit 1' } = slurm(folder);
  const environment: Record<string, string> = { TORC_FAKE_SBATCH: '/bin/false' };
  for (const [name, text] of Object.entries({ scontrol, sacct })) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/bash\n${text}\n`);
    chmodSync(path, 0o755);
    environment[`TORC_FAKE_${name.toUpperCase()}`] = path;
  }
  const items = allocations.map(({ job, status = 'complete' }, at) => ({
    id: at + 1,
    workflow_id: 7,
    scheduler_id: job,
    scheduler_type: 'slurm',
    status,
  })) as ScheduledComputeNode[];
  const client = {
    listScheduledComputeNodes: async () => ({ items }),
    listComputeNodes: async ({ query }: { query: { scheduled_compute_node_id: number } }) => ({
      items: allocations[query.scheduled_compute_node_id - 1]?.hasRunner === true ? [{}] : [],
    }),
  } as never;
  return { folder, found: await unbegunAllocations(client, 7, { environment, outputDir: folder }) };
}

const shown = (folder: string, state: string, code: string) =>
  `echo "JobId=\${@: -1} JobName=wf JobState=${state} Reason=None ExitCode=${code} StdErr=${folder}/a b/err StdIn=/dev/null StdOut=${folder}/out Power="`;

describe('an allocation that ended before a runner began', () => {
  it('an allocation without a runner is shown with its end and the last words in the file that Slurm names', async () => {
    const { folder, found } = await foundOf([{ job: 12 }], (place) => {
      mkdirSync(join(place, 'a b'));
      writeFileSync(join(place, 'a b/err'), 'one\nexec: torc-slurm-job-runner: not found\n');
      return { scontrol: shown(place, 'FAILED', '127:0') };
    });
    expect(unbegunLines(found)).toEqual([
      `Allocation 12 ended before a runner began (FAILED, exit code 127); the end of ${folder}/a b/err:`,
      '  one',
      '  exec: torc-slurm-job-runner: not found',
    ]);
  });

  it('an allocation that the controller has forgotten is shown from the accounting, with its file in the output folder', async () => {
    const { folder, found } = await foundOf([{ job: 12 }], (place) => {
      writeFileSync(join(place, 'slurm_output_wf7_sl12.o'), 'no room\n');
      return { sacct: 'echo "12|wf|FAILED|0:9|00:00:01|Unknown||12"' };
    });
    expect(unbegunLines(found)).toEqual([
      `Allocation 12 ended before a runner began (FAILED, signal 9); the end of ${folder}/slurm_output_wf7_sl12.o:`,
      '  no room',
    ]);
  });

  it('an allocation without output names no file', async () => {
    const { found } = await foundOf([{ job: 12 }], (place) => ({ scontrol: shown(place, 'FAILED', '0:53') }));
    expect(unbegunLines(found)).toEqual([
      expect.stringMatching(
        /\(FAILED 0:53: Slurm could not open .*\), and its output cannot be read here or is empty$/,
      ),
    ]);
  });

  it.each<[string, Parameters<typeof foundOf>[0], string]>([
    ['had a runner', [{ job: 12, hasRunner: true }, { job: 11 }], 'FAILED'],
    ['runs', [{ job: 12, status: 'active' }, { job: 11 }], 'RUNNING'],
    ['waits', [{ job: 12, status: 'pending' }], 'PENDING'],
    ['a user canceled', [{ job: 12 }], 'CANCELLED'],
  ])('nothing is shown of allocations before one that %s', async (_, allocations, state) => {
    const { found } = await foundOf(allocations, (place) => ({ scontrol: shown(place, state, '0:0') }));
    expect(found).toEqual([]);
  });

  it('nothing is shown where neither the controller nor the accounting answers', async () => {
    expect((await foundOf([{ job: 12 }], () => ({}))).found).toEqual([]);
  });
});
