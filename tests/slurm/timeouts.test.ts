import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';
import { leftovers } from './leftovers.ts';

const modes = {
  direct: 'mode: direct, sigterm_lead_seconds: 2',
  steps: 'mode: slurm, srun_termination_signal: "TERM@2"',
  batch: 'mode: slurm, step_batching: true, srun_termination_signal: "TERM@2"',
} as const;
type Mode = keyof typeof modes;

/** Waits for a file that nothing makes. */
const endless = 'until [ -e never ]; do sleep 0.1; done';

const flow = (mode: Mode) => `resource_requirements: [{name: small, num_cpus: 1, memory: 60m, runtime: PT1M}]
execution_config: {${modes[mode]}}
jobs:
  - {name: hangs, resource_requirements: small, timeout: PT8S, command: "${endless}"}
  - {name: deaf, resource_requirements: small, timeout: PT8S, command: "trap '' TERM; ${endless}"}
  - {name: saves, resource_requirements: small, timeout: PT8S, command: "trap 'exit 0' TERM; ${endless}"}
  - {name: quick, resource_requirements: small, timeout: PT2M, command: "true"}
`;

describe.skipIf(slurmIsMissing !== undefined)('timeouts of jobs in an allocation', { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let server: RunningServer;
  let lane: ReturnType<typeof byHand>;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3, cpusPerNode: 2 });
    const folder = temporaryFolder();
    server = await startServer(folder);
    lane = byHand({ cluster, folder, server });
  }, 240_000);

  it.each(Object.keys(modes) as Mode[])(
    'mode %s: a job is asked to end at its timeout and killed after the lead, the allocation goes on, and one that ends before is left alone',
    async (mode) => {
      const id = await lane.created(mode, flow(mode));
      lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10']);
      const results = await lane.finished(id);
      const words = 'it was ended after 8 s, its timeout (timeout: PT8S)';
      const ends = Object.entries(results).map(([name, each]) => [
        name,
        [each.status, each.return_code, each.cause_code ?? undefined, each.cause ?? undefined],
      ]);
      expect(Object.fromEntries(ends)).toEqual({
        hangs: ['terminated', 143, 'time', words],
        deaf: ['terminated', 152, 'time', words],
        saves: ['completed', 0, 'asked', 'that was after 8 s, its timeout (timeout: PT8S)'],
        quick: ['completed', 0, undefined, undefined],
      });
      for (const name of ['hangs', 'deaf']) expect((results[name]?.exec_time_minutes ?? 0) * 60).toBeGreaterThan(7.5);
      await leftovers({ cluster, server }).gone(id);
    },
  );
});
