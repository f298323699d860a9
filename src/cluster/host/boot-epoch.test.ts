import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';

/** A user id without rights, who has no folder in /run: that of the user `nobody` on most systems. */
const STRANGER = 65_534;
const MODULE = resolve(import.meta.dirname, 'boot-epoch.ts');

/** The epoch of a boot at second 10 of Sonar's time, as that user counts it where TMPDIR is this. */
function epochIn(TMPDIR: string, bootedAt = 1_577_836_810) {
  const program = `const { bootEpoch } = await import('${MODULE}'); console.log(bootEpoch('boot', ${bootedAt}))`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: '/',
    env: { TMPDIR },
    uid: STRANGER,
    gid: STRANGER,
    encoding: 'utf8',
  });
}
const isReachable = process.getuid?.() === 0 && epochIn('/none').status === 0;

it.skipIf(!isReachable)(
  'the epoch of a boot is remembered in a folder of the user, and in none that another user prepared',
  () => {
    const shared = temporaryFolder();
    chmodSync(shared, 0o1777);
    const own = join(shared, `torc-${STRANGER}`);
    expect(epochIn(shared).stdout).toBe('10\n');
    expect(existsSync(join(own, 'boot-epoch.json'))).toBe(true);
    // The clock was set: what is remembered counts.
    expect(epochIn(shared, 1_577_836_900).stdout).toBe('10\n');

    chownSync(own, STRANGER - 1, STRANGER - 1);
    expect(epochIn(shared, 1_577_836_900).stdout).toBe('100\n');
    rmSync(own, { recursive: true });
    mkdirSync(join(shared, 'real'));
    chownSync(join(shared, 'real'), STRANGER, STRANGER);
    symlinkSync('real', own);
    expect(epochIn(shared).stdout).toBe('10\n');
    expect(existsSync(join(shared, 'real/boot-epoch.json'))).toBe(false);
  },
);
