import { readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { follow } from '../support/pages/follow.ts';
import { parsePage } from '../support/pages/parse.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

const docs = resolve(import.meta.dirname, '../../docs');
const pages = ['how-to/run-inside-slurm.md', 'how-to/submit-to-slurm.md'];

it('the tests on a Slurm cluster run where Slurm is installed, and say what is missing elsewhere', ({ skip }) => {
  if (slurmIsMissing !== undefined) skip(`no Slurm cluster: ${slurmIsMissing}`);
});

describe.skipIf(slurmIsMissing !== undefined)('on a real Slurm cluster, a reader can follow', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });

  it.for(pages)('%s', { timeout: 300_000 }, async (page) => {
    const before = process.env['SLURM_CONF'];
    process.env['SLURM_CONF'] = cluster.environment['SLURM_CONF'];
    onTestFinished(() => {
      if (before === undefined) delete process.env['SLURM_CONF'];
      else process.env['SLURM_CONF'] = before;
    });
    const steps = parsePage(readFileSync(join(docs, page), 'utf8'));
    const path = (cluster.environment['PATH'] as string).split(delimiter);
    expect(await follow(steps, { path, hasNetwork: false })).toEqual({ skipped: undefined });
  });
});
