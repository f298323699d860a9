import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { initialized } from '../support/initialized.ts';
import { workflowOfShapes, writeCardTool, writeShapes } from '../support/known-shapes.ts';
import { until } from '../support/programs.ts';
import { type ShapesLane, tryKnownShapes } from '../support/try-known-shapes.ts';
import { pbsIsMissing } from './cluster.ts';
import { openLane } from './lane.ts';

describe.skipIf(pbsIsMissing !== undefined)('jobs of known shape on PBS, two at a time', { timeout: 300_000 }, () => {
  let opened: ShapesLane;
  beforeAll(async () => {
    const { cluster, server, folder, call } = await openLane({ nodes: 1 });
    writeShapes(folder);
    writeFileSync(join(folder, 'shapes.yaml'), `name: shapes\n${workflowOfShapes('{mode: direct}')}`);
    const id = await initialized(server, folder, 'shapes.yaml');
    const script = join(folder, 'runner.sh');
    // A script of a person, without what torc submit writes.
    const environment = Object.entries(cluster.environment).map(([name, value]) => `export ${name}='${value}'`);
    const lines = [
      '#!/bin/bash',
      ...environment,
      `export PATH=${writeCardTool(folder, id)}:$PATH TORC_PBS_JOB="\${PBS_JOBID%%.*}"`,
      `cd ${folder}`,
      `exec torc-slurm-job-runner ${server.url} ${id} out-${id} --poll-interval 1`,
      '',
    ];
    writeFileSync(script, lines.join('\n'));
    const asked = ['-l', 'select=1:ncpus=2:mem=700mb:ngpus=1', '-l', 'walltime=00:10:00'];
    const job = cluster.run('qsub', '-f', '-j', 'oe', '-o', folder, ...asked, '--', '/bin/bash', script);
    opened = {
      folder,
      begun: { processes: { id, job: String(Number.parseInt(job, 10)) } },
      call,
      async finished(workflow) {
        const query = { workflow_id: workflow };
        await until(
          async () => (await server.client.listComputeNodes({ query })).items,
          (nodes) => nodes.length > 0 && nodes.every(({ is_active: isActive }) => isActive === false),
          'the runner to end',
          150_000,
        );
        const { items: jobs } = await server.client.listJobs({ query });
        const { items: results } = await server.client.listResults({ query });
        return Object.fromEntries(
          results.map((each): [string, Result] => [jobs.find(({ id: of }) => of === each.job_id)?.name ?? '', each]),
        );
      },
    };
  }, 240_000);

  tryKnownShapes(['processes'], () => opened);
});
