import { describe } from 'vitest';
import { openBatchLane } from '../support/batch-lane.ts';
import { tryShapes } from '../support/try-shapes.ts';
import { slurmIsMissing, startCluster } from './cluster.ts';

describe.skipIf(slurmIsMissing !== undefined)('on a real Slurm cluster', () => {
  tryShapes(async () => openBatchLane((await startCluster({ nodes: 3 })).environment), {
    kind: 'slurm',
    schedulers: 'slurm_schedulers',
    mode: 'slurm',
    fieldsOf: ({ nodes = 1, gpus = 0 }) =>
      `account: any, nodes: ${nodes}, mem: 300m, extra: "--ntasks-per-node=1 --cpus-per-task=2${gpus > 0 ? ` --gpus-per-node=${gpus}` : ''}"`,
  });
});
