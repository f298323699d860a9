/** Restores a database and is killed before the change of the disk that KILL_BEFORE counts, from 1 on. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env['KILL_BEFORE']);
let changes = 0;
for (const name of ['renameSync', 'linkSync', 'rmSync', 'openSync'] as const) {
  const own = fs[name] as (...given: unknown[]) => unknown;
  Object.assign(fs, {
    [name](...given: unknown[]) {
      changes += 1;
      if (changes === at) process.kill(process.pid, 'SIGKILL');
      return own(...given);
    },
  });
}
syncBuiltinESMExports();

const { restore } = await import('../../src/server/backup/backup.ts');
restore('copy.db', 'torc.db', new Date(), { trustsOwner: false });
