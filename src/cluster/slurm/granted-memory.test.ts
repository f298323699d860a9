import { expect, test } from 'vitest';
import { parseGranted } from './granted-memory.ts';

const MIB = 2 ** 20;
const job = (...fields: string[]) => `JobId=9 NumNodes=2 ${fields.join(' ')} Features=(null)`;

test.each([
  ['per CPU', job('TRES=cpu=8,mem=8000M,node=2,billing=8', 'MinCPUsNode=1 MinMemoryCPU=1000M'), 4000],
  ['per node', job('TRES=cpu=8,mem=4000M,node=2', 'MinMemoryNode=2000M'), 2000],
  ['all of it', job('TRES=cpu=8,mem=8000M,node=2', 'MinMemoryNode=0'), 4000],
  ['in gigabytes', job('AllocTRES=cpu=8,mem=7.50G,node=2'), 3840],
  ['as a number', job('MinMemoryNode=512'), 512],
])('the memory of an allocation that is granted %s is that of one node', (_, text, mebibytes) => {
  expect(parseGranted(text, { cpus: 4, nodes: 2 })).toBe(mebibytes * MIB);
});

test.each(['', 'JobId=9 MinMemoryNode=0', 'slurm_load_jobs error', job('TRES=cpu=8,node=2')])(
  'nothing is guessed from "%s"',
  (text) => {
    expect(parseGranted(text, { cpus: 4, nodes: 2 })).toBeUndefined();
  },
);
