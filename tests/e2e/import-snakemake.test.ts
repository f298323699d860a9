import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/folder-with.ts';
import { torc } from '../support/programs.ts';

/** `torc import snakemake`: what Snakemake does with a Snakefile, the workflow does too. */

const isThere = spawnSync('snakemake', ['--version']).status === 0;

const SNAKEFILE = `
include: "more.smk"

rule all:
    input: "all.txt", "made.txt"

rule count:
    input: "data/{sample}.txt"
    output: "counts/{sample}.txt"
    log: "logs/{sample}.log"
    resources: mem_mb=200, runtime=5
    shell: "wc -w < {input} > {output} 2> {log}"

rule merge:
    input: expand("counts/{sample}.txt", sample=["a", "b"])
    output: "all.txt"
    shell:
        """
        cat {input} > {output}
        echo '{{braces}}' >> {output}
        """
`;
const MORE = `
rule made:
    output: "made.txt"
    run:
        open(output[0], "w").write("by Python")
`;
const FILES = { Snakefile: SNAKEFILE, 'more.smk': MORE, 'data/a.txt': 'one two\n', 'data/b.txt': 'three\n' };

describe.skipIf(!isThere)(
  isThere ? 'torc import snakemake' : 'torc import snakemake: skipped, there is no snakemake on PATH',
  () => {
    it('an imported Snakefile makes the files that Snakemake makes', { timeout: 120_000 }, async () => {
      const [made, run] = [folderWith(FILES), folderWith(FILES)];
      execFileSync('snakemake', ['--cores', '2'], { cwd: made, stdio: 'ignore' });
      const converted = await torc(['import', 'snakemake', 'Snakefile', '-o', 'flow.yaml'], { cwd: run });
      expect([converted.code, converted.stderr]).toEqual([0, expect.stringContaining('more.smk:2: note: rule made: ')]);
      expect((await torc(['-s', 'run', 'flow.yaml', '--fail'], { cwd: run })).code).toBe(0);
      const contents = (folder: string) =>
        ['all.txt', 'made.txt'].map((name) => readFileSync(join(folder, name), 'utf8'));
      expect(contents(run)).toEqual(contents(made));
    });

    it('what Snakemake refuses is refused with its words', { timeout: 60_000 }, async () => {
      const folder = folderWith({ Snakefile: 'rule a:\n    input: "missing"\n    output: "o"\n    shell: "x"\n' });
      const { code, stderr } = await torc(['import', 'snakemake', 'Snakefile'], { cwd: folder });
      expect([code, stderr]).toEqual([1, expect.stringContaining('MissingInputException')]);
      writeFileSync(join(folder, 'Snakefile'), 'rule a:\n    input "missing"\n');
      const broken = await torc(['import', 'snakemake', 'Snakefile'], { cwd: folder });
      expect([broken.code, broken.stderr]).toEqual([1, expect.stringMatching(/Snakemake refuses it: .*SyntaxError/s)]);
    });
  },
);

it('without Snakemake a Snakefile is refused, which says what is missing', async () => {
  const folder = folderWith(FILES);
  const { code, stdout, stderr } = await torc(['import', 'snakemake', 'Snakefile'], {
    cwd: folder,
    environment: { PATH: folder },
  });
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('there is no snakemake on PATH')]);
});
