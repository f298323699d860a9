import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { pbsAllocationOf, pbsPartsOf, sharesIn } from './allocation.ts';
import { parseDsv } from './dsv.ts';

describe('the allocation of a process in a PBS job', () => {
  it('an allocation is known by its variables and its node file, in which a node has a line for each of its processes', () => {
    const file = join(temporaryFolder(), 'nodes');
    writeFileSync(file, 'n1\nn1\nn2\n');
    expect(
      pbsAllocationOf({
        PBS_JOBID: '12.pbs',
        PBS_ENVIRONMENT: 'PBS_BATCH',
        PBS_NODEFILE: file,
        PBS_NODENUM: '1',
        NCPUS: '4',
        TORC_PBS_BEGAN: '1795980000',
      }),
    ).toMatchObject({ jobId: 12, nodeId: 1, nodes: 2, nodeList: 'n1,n2', cpus: 4, beganAtMs: 1_795_980_000_000 });
  });

  it('there is no allocation outside of a job, nor in a job of an array, which has no number of its own', () => {
    expect(pbsAllocationOf({ PBS_JOBID: '12.pbs' })).toBeUndefined();
    expect(pbsAllocationOf({ PBS_JOBID: '5[2].pbs', PBS_ENVIRONMENT: 'PBS_BATCH' })).toBeUndefined();
  });

  it('a part of the nodes has its lines of the file, and a program on another node is started by the script, if that is one of ours', () => {
    const file = join(temporaryFolder(), 'nodes');
    writeFileSync(file, 'n1\nn1\nn2\nn3\n');
    const parts = pbsPartsOf({ nodes: 3, nodeId: 1 }, { PBS_NODEFILE: file, TORC_PBS_SCRIPT: '/s.sh' });
    expect(parts?.ownNode).toBe('n2');
    expect(parts?.fileOf(['n3', 'n1'])).toEqual({ variable: 'PBS_NODEFILE', text: 'n1\nn1\nn3\n' });
    expect(parts?.wordsOn?.('n3', ['torc', 'x'])).toEqual(['pbs_tmrsh', 'n3', '/bin/bash', '/s.sh', 'on', 'torc', 'x']);
    expect(pbsPartsOf({ nodes: 3, nodeId: 1 }, { PBS_NODEFILE: file })?.wordsOn).toBeUndefined();
    expect(pbsPartsOf({ nodes: 1, nodeId: 0 }, { PBS_NODEFILE: file, TORC_PBS_SCRIPT: '/s.sh' })).toBeUndefined();
  });

  it('an allocation has of each node the sum of its chunks there', () => {
    const vnodes = '(n1:ncpus=2:mem=512000kb:ngpus=1)+(n2:ncpus=1)+(n1:ncpus=1:mem=1024kb)';
    const [job] = parseDsv('job', `Job Id: 12.pbs|exec_vnode=${vnodes}\n`);
    expect(job && sharesIn(job)).toEqual([
      { node: 'n1', cpus: 3, memoryBytes: 513_024 * 1024, gpus: 1 },
      { node: 'n2', cpus: 1, memoryBytes: undefined, gpus: 0 },
    ]);
  });
});
