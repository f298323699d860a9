import { describe, expect, test } from 'vitest';
import { parseAccounted } from '../../src/cluster/slurm/sacct.ts';
import { licensesToAsk } from '../../src/core/allocation/cluster-licenses.ts';
import { createGpuUse } from '../../src/runner/step/gpu-use.ts';
import { AT_ONCE, madeUpCards } from '../support/cards.ts';
import { lane, recordsOf, submit, toolsOf } from '../support/submission-lane.ts';

/** Public reports about limits of nodes, licenses of clusters and GPU memory, tried on this program. */

describe('allocations beyond a limit', () => {
  const limited = async (allocations: number, nodes: number, mostTasks: number) => {
    const of = await lane(allocations);
    await of.service.client.updateWorkflow({ params: { id: of.id }, body: { limits: { nodes } } });
    const tools = toolsOf(of, { mostTasks });
    await submit(tools, of);
    return { jobs: of.played.jobs().length, held: tools.held, records: (await recordsOf(of)).length };
  };

  test('https://github.com/Parsl/parsl/issues/868 (0.7.2: one block was the most, and two were submitted)', async () => {
    expect(await limited(2, 1, 1)).toMatchObject({ jobs: 1, records: 2 });
  });

  test('https://github.com/nipy/nipype/issues/2957 (several hundred jobs waited at once, and no number bounded them)', async () => {
    expect(await limited(300, 4, 1001)).toEqual({
      jobs: 4,
      held: ['296: at most 4 nodes of its workflow, and 4 are in use or asked for'],
      records: 300,
    });
  });

  test('https://github.com/siliconcompiler/siliconcompiler/issues/5363 (the most nodes bounded jobs of the machine, and none of Slurm)', async () => {
    expect(await limited(3, 2, 1)).toMatchObject({ jobs: 2, records: 3 });
  });
});

test('https://github.com/Ramble-Project/ramble/pull/1665 (a license was asked for each process, whatever the cluster had of it)', () => {
  const need = { num_cpus: 1, memory_bytes: 1, num_gpus: 0, num_nodes: 1, runtime_seconds: 60, licenses: { lic: 1 } };
  const room = { cpus: 128, memoryBytes: Infinity, gpus: Infinity };
  const asked = (total: number) =>
    licensesToAsk({ licensed: [{ jobs: 500, need }], limits: [], cluster: [{ name: 'lic', total, used: 0 }], room });
  expect([asked(1000), asked(16)]).toEqual([{ lic: 128 }, { lic: 16 }]);
});

describe('GPU memory', () => {
  test('https://github.com/ResearchComputing/Documentation/pull/498 (zeros or infinite values on cards that Slurm cannot measure)', () => {
    const used = (gpumem: string) =>
      parseAccounted(`a|1K|1K|1M|1M|00:00:01|n1|COMPLETED|00:00:01|cpu=00:00:01,gres/gpumem=${gpumem}\n`).get('a')
        ?.peakGpuBytes;
    expect(['40777023488', '0', '18446744073709551614', '16777216T'].map(used)).toEqual([
      40_777_023_488,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('https://github.com/utkuozdemir/nvidia_gpu_exporter/pull/438 (rows with words where a driver reports no memory)', async () => {
    const cards = madeUpCards();
    const gpus = createGpuUse(cards.environment, AT_ONCE);
    gpus.begin('wf1_j1_r1_a1');
    cards.write('GPU-0, 10, [N/A]\nGPU-0, 11, [Insufficient Permissions]\nGPU-1, 12, 512\n');
    await gpus.look(new Map([['wf1_j1_r1_a1', [10, 11, 12].map((pid) => ({ pid }))]]));
    expect(gpus.end('wf1_j1_r1_a1')?.peakGpuBytes).toBe(512 * 2 ** 20);
  });

  test('https://github.com/NVIDIA/nvidia-docker/issues/1483 (in a container the ids are those of the host, and mean other processes there)', async () => {
    const cards = madeUpCards();
    const gpus = createGpuUse(cards.environment, { namespace: () => 'pid:[4026532211]' });
    gpus.begin('wf1_j1_r1_a1');
    cards.use([0, 10, 1024]);
    await gpus.look(new Map([['wf1_j1_r1_a1', [{ pid: 10 }]]]));
    expect([gpus.end('wf1_j1_r1_a1'), cards.readings()]).toEqual([undefined, 0]);
  });
});
