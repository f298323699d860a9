import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { convertCwlFile } from '../../src/operations/create/convert/cwl.ts';
import { planHere } from '../../src/operations/create/create.ts';
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

const CWL = join(import.meta.dirname, '../../../shared/corpus/workflows/cwl/tests');
const processes = existsSync(CWL) ? readdirSync(CWL).filter((name) => name.endsWith('.cwl')) : [];

it.skipIf(processes.length === 0)(
  processes.length > 0
    ? 'every process of the conformance tests of CWL converts to a valid workflow, or is refused with the reason'
    : `processes of the conformance tests of CWL: skipped, none at ${CWL}`,
  () => {
    for (const name of processes) {
      try {
        const { workflow } = convertCwlFile({ path: join(CWL, name), inputs: undefined, runtime: undefined });
        const { problems } = planHere(workflow, name, { maxJobs: undefined });
        expect([name, problems.filter(({ severity }) => severity === 'error')]).toEqual([name, []]);
      } catch (error) {
        expect([name, error]).toEqual([name, expect.objectContaining({ code: 'CONVERSION_REFUSED' })]);
      }
    }
  },
);
