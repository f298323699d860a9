import { beforeAll, describe } from 'vitest';
import { parseCpuTime } from '../../src/core/quantity/slurm-time.ts';
import { workflowOfShapes, writeCardTool, writeShapes } from '../support/known-shapes.ts';
import { startServer, temporaryFolder, until } from '../support/programs.ts';
import { type ShapesLane, tryKnownShapes } from '../support/try-known-shapes.ts';
import { byHand } from './by-hand.ts';
import { memoryIsPolled, slurmIsMissing, startCluster } from './cluster.ts';

const modes = {
  steps: '{mode: slurm}',
  batches: '{mode: slurm, step_batching: true}',
  processes: '{mode: direct}',
} as const;

describe.skipIf(slurmIsMissing !== undefined)('jobs of known shape, two at a time', { timeout: 300_000 }, () => {
  let opened: ShapesLane;
  beforeAll(async () => {
    // Each node has one allocation, and each allocation two jobs at a time.
    const cluster = await startCluster({ nodes: 3, cpusPerNode: 2 });
    const folder = temporaryFolder();
    writeShapes(folder);
    const lane = byHand({ cluster, folder, server: await startServer(folder) });
    const begin = async (mode: keyof typeof modes) => {
      const id = await lane.created(mode, workflowOfShapes(modes[mode]));
      const tool = writeCardTool(folder, id);
      const options = ['-c', '2', '--mem=700M', '-t', '10', '--gpus-per-node=1'];
      return { id, job: lane.allocated(id, options, (runner) => [`export PATH=${tool}:$PATH`, `exec ${runner}`]) };
    };
    const names = Object.keys(modes) as (keyof typeof modes)[];
    opened = {
      ...lane,
      folder,
      begun: Object.fromEntries(await Promise.all(names.map(async (name) => [name, await begin(name)] as const))),
      // It has them somewhat after the end of a step.
      async accounted(job, name) {
        const [row] = await until(
          () =>
            cluster
              .run('sacct', '-j', job, '-P', '-n', '--format', 'JobName,State,TotalCPU')
              .split('\n')
              .map((line) => line.split('|'))
              .filter(([each = '', state]) => each.startsWith(name) && state !== 'RUNNING'),
          (rows) => rows.length === 1,
          `the row of step ${name}`,
        );
        return parseCpuTime(row?.[2] ?? '') ?? Number.NaN;
      },
      isMemoryPolled: memoryIsPolled,
    };
  }, 240_000);

  tryKnownShapes(Object.keys(modes), () => opened);
});
