import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { pbs } from './pbs.ts';

it('a script is tested once the server answers, and the cluster is asked once for several', async () => {
  const folder = temporaryFolder();
  const program = (name: string, lines: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} >> ${folder}/calls\n${lines}\n`, { mode: 0o755 });
  program(
    'pbsnodes',
    `[ $(grep -c pbsnodes ${folder}/calls) = 1 ] && { echo 'cannot connect' >&2; exit 1; }\necho 'Name=n1|resources_available.ncpus=4'`,
  );
  program(
    'qstat',
    `case "$1" in -B) echo 'Server: pbs|default_queue=q';; *) echo 'Queue: q|queue_type=Execution|enabled=True|started=True';; esac`,
  );
  const batch = pbs.open({ PATH: `${folder}:${process.env['PATH']}` }, {});
  const tested = (cpus: number) => batch.testScript(`#PBS -l select=1:ncpus=${cpus}\n`);
  expect(await tested(4)).toMatchObject({ kind: 'unknown', words: expect.stringContaining('cannot connect') });
  expect([await tested(4), await tested(5)]).toEqual([undefined, expect.objectContaining({ kind: 'refused' })]);
  expect(readFileSync(join(folder, 'calls'), 'utf8').match(/pbsnodes/g)).toHaveLength(2);
});
