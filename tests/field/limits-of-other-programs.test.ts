import { expect, test } from 'vitest';
import { convertArray } from '../../src/convert/array/convert.ts';
import { type Conversion, leavesOut, noteText } from '../../src/convert/conversion.ts';
import { slurmArrays } from '../../src/convert/slurm-array/convert.ts';
import { convertSnakemake } from '../../src/convert/snakemake/convert.ts';
import { planned } from '../spec/reading.ts';
import { printedJob } from '../support/snakemake.ts';

/** How people bound what runs at once with other programs, from public reports: what the workflow has of it. */

const snakemake = (head: string, resources: string, profile = '') =>
  convertSnakemake({
    files: [{ path: 'Snakefile', text: `${head}\nrule r:\n  shell: "x"\n` }],
    printed: printedJob('r', { output: 'o', resources }, 'x'),
    profiles: [{ path: 'profile/config.yaml', text: profile }],
  });
const array = (...options: string[]) =>
  convertArray(
    {
      text: ['#!/bin/bash', ...options.map((each) => `#SBATCH ${each}`), 'x $SLURM_ARRAY_TASK_ID'].join('\n'),
      path: 'a.sbatch',
    },
    slurmArrays,
  );

interface Carried {
  readonly limits?: object;
  readonly job: object;
  readonly leftOut?: string;
}

const REPORTS: readonly (readonly [report: string, conversion: Conversion, carried: Carried])[] = [
  [
    'nextstrain/ncov pull request 1045: two deploys at a time, by a line of the Snakefile that nothing documents',
    snakemake('workflow.global_resources.setdefault("concurrent_deploys", 2)', 'concurrent_deploys=1'),
    { limits: { concurrent_deploys: 2 }, job: { licenses: { concurrent_deploys: 1 } } },
  ],
  [
    'snakemake/snakemake issue 1866: the number stands in a variable of the Snakefile',
    snakemake('workflow.global_resources["qq"] = MAX_SLEEP_CLUSTER_PARALLEL_JOBS', 'qq=3'),
    { job: { licenses: { qq: 3 } }, leftOut: 'Snakefile:1: left out: workflow.global_resources["qq"] = MAX_SLEEP' },
  ],
  [
    'MeteoSwiss/evalml pull request 49: fifteen GPUs at a time over all submissions, by the profile',
    snakemake('', 'gpus=1', 'executor: slurm\nresources:\n  - gpus=15\n'),
    { limits: { gpus: 15 }, job: { resource_requirements: 'needs_1' } },
  ],
  [
    'earthlab/rslurm issue 70: twenty tasks, ten at a time',
    array('--array=1-20%10'),
    { job: { parameters: { task: '1:20' }, max_running: 10 } },
  ],
  [
    'Ramble-Project/ramble pull request 1665: a license for each rank',
    array('--array=1-4', '--ntasks=16', '--mem=8G', '--licenses=fluent:16'),
    { job: { licenses: { fluent: 16 } } },
  ],
];

test.each(REPORTS)('%s', (_, conversion, { limits, job, leftOut }) => {
  const { workflow, notes } = conversion;
  expect(planned(workflow).jobs.length).toBeGreaterThan(0);
  expect(workflow['limits']).toEqual(limits);
  expect((workflow['jobs'] as readonly object[])[0]).toMatchObject(job);
  const left = notes.filter(({ isLeftOut }) => isLeftOut).map(noteText);
  expect(left).toEqual(leftOut === undefined ? [] : [expect.stringContaining(leftOut)]);
  expect(leavesOut(conversion)).toBe(leftOut !== undefined);
});
