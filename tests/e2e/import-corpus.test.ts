import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

// Test workflows of Snakemake are not ours to keep; where they stand beside the repository, they are converted.
const CORPUS = join(import.meta.dirname, '../../../shared/corpus/workflows/snakemake/tests');
const isThere = existsSync(CORPUS) && spawnSync('snakemake', ['--version']).status === 0;
const names = isThere ? readdirSync(CORPUS).filter((name) => existsSync(join(CORPUS, name, 'Snakefile'))) : [];

describe.skipIf(!isThere)(
  isThere
    ? 'workflows of the tests of Snakemake'
    : `workflows of the tests of Snakemake: skipped, no snakemake on PATH or none at ${CORPUS}`,
  () => {
    it.each(names)(
      '%s converts, or its report says what was left out, or Snakemake refuses it',
      { timeout: 60_000 },
      async (name) => {
        const folder = temporaryFolder();
        cpSync(join(CORPUS, name), folder, { recursive: true });
        const { code, stdout, stderr } = await torc(['import', 'snakemake', 'Snakefile'], { cwd: folder });
        if (code === 0) expect(stdout).toMatch(/^name: /);
        else
          expect([code, stdout, stderr]).toEqual([
            1,
            '',
            expect.stringMatching(/left out:|refuses it: \S|would run nothing/),
          ]);
      },
    );
  },
);
