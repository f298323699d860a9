import { expect, it } from 'vitest';
import { parseAccounting } from './accounting.ts';

// sacct -P -n --format JobID,JobName,State,ExitCode,Elapsed,MaxRSS,TotalCPU,NodeList,NNodes, Slurm 22.05.8, two-node test cluster
const text = `460|wf7_4583_1|CANCELLED by 0|0:0|00:00:49||00:00.006|n1|1
460.batch|batch|CANCELLED|0:15|00:00:49|42272K|00:00.002|n1|1
460.0|wf7_j12_r1_a1|CANCELLED|0:15|00:00:49|1668K|00:01.500|n1|1
471|wf10_1007_1|CANCELLED by 0|0:0|00:00:00||00:00:00|None assigned|9
472|wf11|COMPLE`;

it('the accounting has a row for each step, and one for a job without steps, with the CPU time that was used', () => {
  const { rows, ...sums } = parseAccounting(text);
  expect(rows).toEqual([
    {
      jobId: '460',
      step: 'batch',
      state: 'CANCELLED',
      exitCode: '0:15',
      elapsedSeconds: 49,
      maxRssBytes: 42_272 * 1024,
      cpuSeconds: 0.002,
      nodes: 'n1',
    },
    expect.objectContaining({ jobId: '460', step: 'wf7_j12_r1_a1', maxRssBytes: 1668 * 1024, cpuSeconds: 1.5 }),
    expect.objectContaining({ jobId: '471', step: 'wf10_1007_1', state: 'CANCELLED', maxRssBytes: undefined }),
  ]);
  expect(sums).toEqual({ nodes: 10, nodeSeconds: 49, cpuSeconds: 0.006 });
});
