import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder, until } from '../support/programs.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

/** What the other tests of the cluster rely on: a crash leaves nothing of a node, and everything of the others. */
describe.skipIf(slurmIsMissing !== undefined)('a node of the cluster that crashes', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
  });

  it('a node that crashes ends all processes of its steps, also those that start others, and none of another node', async () => {
    const folder = temporaryFolder();
    const job = join(folder, 'job.sh');
    // Seconds that no other process has.
    const seconds = (node: string) => `${process.pid}.${node}`;
    writeFileSync(
      job,
      `#!/bin/bash
      for i in {1..150}; do sleep $1 & done
      srun --ntasks=1 --overlap bash -c "while :; do sleep 0.01; sleep $1 & [ \\$((i += 1)) -lt 100 ] || wait; done" &
      wait`,
    );
    for (const node of ['1', '2'])
      cluster.run('sbatch', '-w', nodeName(node), '--mem=2000M', '-o', '/dev/null', job, seconds(node));
    const sleepsOf = (node: string) => cluster.processes(`^sleep ${process.pid}[.]${node}$`).length;
    for (const node of ['1', '2'])
      await until(
        () => sleepsOf(node),
        (count) => count > 150,
        `the steps of ${nodeName(node)} to start processes`,
      );
    cluster.node('crash', nodeName(1));
    expect(sleepsOf('1')).toBe(0);
    expect(sleepsOf('2')).toBeGreaterThan(150);
  });
});
