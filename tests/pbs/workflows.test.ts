import { describe } from 'vitest';
import { tryShapes } from '../support/try-shapes.ts';
import { pbsIsMissing, startPbs } from './cluster.ts';
import { openBatchLane } from '../support/batch-lane.ts';

describe.skipIf(pbsIsMissing !== undefined)('on a real PBS cluster', () => {
  tryShapes(
    async () => {
      const cluster = await startPbs({ nodes: 3 });
      return openBatchLane({ ...process.env, ...cluster.environment });
    },
    {
      kind: 'pbs',
      schedulers: 'pbs_schedulers',
      mode: 'direct',
      fieldsOf: ({ nodes = 1, gpus = 0 }) =>
        `select: "${nodes}:ncpus=2:mem=300mb${gpus > 0 ? `:ngpus=${gpus}` : ''}", place: scatter`,
    },
  );
});
