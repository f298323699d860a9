import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { cpusPerNode, nodeNames } from './nodes.ts';

test.each([
  ['4', [4]],
  ['72(x2),36', [72, 72, 36]],
  ['', undefined],
  ['4(x', undefined],
  ['4(x99999999999)', undefined],
  [undefined, undefined],
])('the CPUs of the nodes in %j are %j', (text, expected) => {
  expect(cpusPerNode(text)).toEqual(expected);
});

it('a list without brackets needs no program, and one with brackets is expanded by scontrol', async () => {
  const scontrol = join(temporaryFolder(), 'scontrol');
  writeFileSync(scontrol, '#!/bin/sh\n[ "$1 $2" = "show hostnames" ] && printf "n1\\nn2\\n"\n');
  chmodSync(scontrol, 0o755);
  expect(await nodeNames({ SLURM_JOB_NODELIST: 'n1' })).toEqual(['n1']);
  expect(await nodeNames({ SLURM_JOB_NODELIST: 'n[1-2]', TORC_FAKE_SCONTROL: scontrol })).toEqual(['n1', 'n2']);
  expect(await nodeNames({})).toEqual([]);
});
