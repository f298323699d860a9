import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { moduleFile } from '../../scripts/artefacts/installer.ts';
import { temporaryFolder } from '../support/programs.ts';

const LMOD = '/usr/share/lmod/lmod/init/bash';
const isThere = existsSync(LMOD);

describe.skipIf(!isThere)(isThere ? 'the module of Lmod' : `the module of Lmod: skipped, there is no ${LMOD}`, () => {
  let root: string;
  beforeEach(() => {
    root = join(temporaryFolder(), 'apps of all/torc-1.2.3');
    mkdirSync(join(root, 'bin'), { recursive: true });
    mkdirSync(join(root, 'share/modulefiles/torc'), { recursive: true });
    writeFileSync(join(root, 'bin/torc'), '#!/bin/sh\necho "torc 1.2.3"\n', { mode: 0o755 });
    writeFileSync(join(root, 'share/modulefiles/torc/1.2.3.lua'), moduleFile('1.2.3'));
  });

  const shell = (script: string) => {
    const env = { PATH: '/usr/bin:/bin', HOME: root, ROOT: root };
    const { stdout, stderr } = spawnSync('bash', ['-c', `. ${LMOD}\n${script}`], { encoding: 'utf8', env });
    return { stdout, stderr };
  };

  it('`module load torc` gives the programs, and `module unload torc` takes them back', () => {
    const { stdout } = shell(`module use "$ROOT/share/modulefiles"
module load torc && torc
module unload torc; command -v torc || echo gone`);
    expect(stdout).toBe('torc 1.2.3\ngone\n');
  });

  it('manual pages come before those of the system where MANPATH is set, and hide none where it is not', () => {
    const { stdout } = shell(`unset MANPATH; module use "$ROOT/share/modulefiles"
module load torc; echo "\${MANPATH-unset}"; module unload torc
export MANPATH=/usr/share/man; module load torc; echo "$MANPATH"
module unload torc; echo "$MANPATH"`);
    expect(stdout).toBe(`unset\n${root}/share/man:/usr/share/man\n/usr/share/man\n`);
  });

  it('a link from a folder of the site works, and a copy there says that it does not', () => {
    const site = join(root, '../modules/torc');
    mkdirSync(site, { recursive: true });
    const own = join(root, 'share/modulefiles/torc/1.2.3.lua');
    symlinkSync(own, join(site, '1.2.3.lua'));
    expect(shell('module use "$ROOT/../modules"; module load torc/1.2.3 && torc').stdout).toBe('torc 1.2.3\n');
    copyFileSync(own, join(site, '1.2.4.lua'));
    expect(shell('module use "$ROOT/../modules"; module load torc/1.2.4').stderr).toContain(
      'link to it, do not copy it',
    );
  });
});
