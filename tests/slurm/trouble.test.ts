import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { byHand } from './by-hand.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

const head = `resource_requirements:
  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}
execution_config: {mode: slurm}
`;

describe.skipIf(slurmIsMissing !== undefined)('steps of an allocation in trouble', { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  let lane: ReturnType<typeof byHand>;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2, cpusPerNode: 16 });
    folder = temporaryFolder();
    server = await startServer(folder);
    lane = byHand({ cluster, folder, server });
  });

  const endsOf = async (id: number) =>
    Object.values(await lane.resultsOf(id)).map((each) => `${each.status} ${each.return_code}`);

  it('jobs complete while the accounting is away for ever, and their accounting is empty', async () => {
    cluster.signal('slurmdbd', 'SIGSTOP');
    const id = await lane.created(
      'accounting',
      `${head}jobs:
  - {name: one, resource_requirements: small, command: "true"}
  - {name: two, resource_requirements: small, command: "true", depends_on: [one]}
  - {name: three, resource_requirements: small, command: "exit 3", depends_on: [two]}
`,
    );
    lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10']);
    await lane.finished(id);
    cluster.signal('slurmdbd', 'SIGCONT');
    expect(await endsOf(id)).toEqual(['completed 0', 'completed 0', 'failed 3']);
    const { items } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(items).toHaveLength(3);
    expect(items.filter(({ max_rss_bytes: rss }) => typeof rss === 'number')).toEqual([]);
  });

  it.skipIf(noSmallDisk)(
    'a step that checks its writes fails on a full disk, as a process of the runner does; one that does not check completes, and the run says whose output may be cut',
    async () => {
      const wait = 'touch disk-$TORC_JOB_NAME; until [ -e full ]; do sleep 0.1; done';
      const commands = {
        checks: `${wait}; head -c 5M /dev/zero`,
        complains: `${wait}; head -c 5M /dev/zero >&2`,
        script: `${wait}; echo one; exit 0`,
        // No shell is needed for it.
        plain: 'seq 1000000',
        quiet: `${wait}; true`,
      };
      const jobs = Object.entries(commands).map(([name, command]) => ({
        name,
        command,
        resource_requirements: 'small',
        ...(name === 'plain' ? { depends_on: ['quiet'] } : {}),
      }));
      const id = await lane.created('disk', `${head}jobs: ${JSON.stringify(jobs)}\n`);
      const disk = smallDisk(2);
      symlinkSync(disk, join(folder, `out-${id}`));
      lane.allocated(id, ['-c', '4', '--mem=400M', '-t', '10']);
      await lane.there('disk-', 4);
      fill(disk);
      cluster.run('touch', join(folder, 'full'));
      const results = await lane.finished(id);
      const full = 'the disk of its output was full when it ended';
      expect(
        Object.entries(results).map(([name, { status, return_code: code, cause }]) => [name, status, code, cause]),
      ).toEqual(
        expect.arrayContaining([
          ['checks', 'failed', 1, full],
          ['complains', 'failed', 1, full],
          ['script', 'completed', 0, undefined],
          ['plain', 'failed', 1, full],
          ['quiet', 'completed', 0, undefined],
        ]),
      );
      const { items } = await server.client.listEvents({ query: { workflow_id: id, category: 'output_cut' } });
      expect(items.map(({ data }) => data)).toMatchObject([
        { level: 'warning', lacking: 'space', jobs: expect.stringContaining('script') },
      ]);
      expect(readFileSync(join(folder, `runner-${id}.out`), 'utf8')).toContain('The output of 5 jobs may be cut');
    },
  );

  it('jobs complete once when the controller is away for some time', async () => {
    const id = await lane.created(
      'controller',
      `${head}jobs: [{name: "row_{i}", parameters: {i: "1:8"}, resource_requirements: small, command: "echo $TORC_ATTEMPT_ID >> row-{i}; sleep 2"}]\n`,
    );
    lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10']);
    await until(
      async () => (await endsOf(id)).length,
      (count) => count >= 2,
      'some jobs to end',
    );
    cluster.signal('slurmctld', 'SIGSTOP');
    await new Promise((done) => void setTimeout(done, 12_000));
    cluster.signal('slurmctld', 'SIGCONT');
    await lane.finished(id);
    expect(await endsOf(id)).toEqual(Array.from({ length: 8 }, () => 'completed 0'));
  });
});
