import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/folder-with.ts';
import { torc } from '../support/programs.ts';

/**
 * What the documentation of Snakemake promises of a rule, run by Snakemake and as a workflow: the same files. Each row names the
 * section that promises it.
 */

interface Row {
  readonly section: string;
  readonly rules: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Exit codes of Snakemake and of the workflow are not 0. */
  readonly fails?: true;
}

const ALL = 'rule all:\n    input: "o"\n';

const PROMISES: readonly Row[] = [
  {
    section: 'Defining retries for fallible rules: three retries are four attempts',
    rules:
      'rule r:\n    output: "o"\n    retries: 3\n    shell: "echo x >> tries; test $(wc -l < tries) = 4 && cp tries {output}"',
  },
  {
    section: 'Defining retries for fallible rules: not five',
    rules:
      'rule r:\n    output: "o"\n    retries: 3\n    shell: "echo x >> tries; test $(wc -l < tries) = 5 && cp tries {output}"',
    fails: true,
  },
  {
    section: 'Ensuring output file properties: an empty output is an attempt that failed',
    rules:
      'rule r:\n    output: ensure("o", non_empty=True)\n    retries: 2\n    shell: "cat more > {output} || true; echo x > more"',
  },
  {
    section: 'Directories as outputs, and outputs of rules: what is there before is removed first',
    rules:
      'rule r:\n    output: "o"\n    retries: 1\n    shell: "echo x >> {output}; test -e once || {{ touch once; exit 3; }}"',
  },
  {
    section: 'Directories as outputs: a folder is removed with what an attempt left in it',
    rules:
      'rule r:\n    output: o=directory("d"), p="o"\n    retries: 1\n    shell: "mkdir {output.o} && ls once > {output.o}/$(ls once 2> /dev/null || echo no) || {{ touch once; exit 1; }}; ls d > o"',
  },
  {
    section: 'Log files: one that is there before is removed first',
    rules: 'rule r:\n    output: "o"\n    log: "l/r.log"\n    shell: "echo x >> {log}; cp {log} {output}"',
    files: { 'l/r.log': 'old\n' },
  },
  {
    section: 'Threads: libraries get those of the rule',
    rules:
      'rule r:\n    input: "p"\n    output: "o"\n    threads: 2\n    shell: "echo $OMP_NUM_THREADS | cat {input} - > {output}"\nrule p:\n    output: "p"\n    shell: "echo $MKL_NUM_THREADS > {output}"',
  },
  {
    section: 'Resources, standard resources: a folder for temporary files',
    rules: 'rule r:\n    output: "o"\n    resources: tmpdir="/var/tmp"\n    shell: "echo $TMPDIR $TMP > {output}"',
  },
  {
    section: 'My shell command fails with exit code != 0 from within a pipe: strict mode',
    rules: 'rule r:\n    output: "o"\n    shell: "seq 1 1000000 | head -n 1 > {output}"',
    fails: true,
  },
  {
    section: 'Shadow rules: what a rule leaves besides its outputs is gone',
    rules: 'rule r:\n    output: "o"\n    shadow: "minimal"\n    shell: "echo x > besides; cp besides {output}"',
  },
  {
    section: 'Protected and temporary files, priorities: they change no content',
    rules:
      'rule r:\n    input: "p"\n    output: protected("o")\n    priority: 50\n    shell: "cat {input} > {output}"\nrule p:\n    output: "p"\n    group: "g"\n    benchmark: "b.tsv"\n    shell: "echo p > {output}"',
    files: {},
  },
  {
    section: 'Profiles: retries and resources by attempt of all rules',
    rules: 'rule r:\n    output: "o"\n    shell: "echo x >> tries; test $(wc -l < tries) = 3 && cp tries {output}"',
    files: { 'profiles/default/config.yaml': 'retries: 2\ndefault-resources:\n  mem_mb: attempt * 300\n' },
  },
  {
    section: 'Resources: no more of one is in use than a profile lets',
    rules:
      'rule r:\n    input: "p1", "p2", "p3"\n    output: "o"\n    shell: "cat {input} > {output}"\nrule p:\n    output: "p{i}"\n    resources: license=2\n    shell: "mkdir lock; sleep 0.2; rmdir lock; echo {wildcards.i} > {output}"',
    files: { 'profiles/default/config.yaml': 'resources: [license=3]\n' },
  },
  {
    section: 'Resources: more of one is in use where nothing limits it',
    rules:
      'rule r:\n    input: "p1", "p2"\n    output: "o"\n    shell: "cat {input} > {output}"\nrule p:\n    output: "p{i}"\n    resources: license=2\n    shell: "touch {wildcards.i}; until test -e 1 -a -e 2; do sleep 0.05; done; echo x > {output}"',
  },
  {
    section: 'Resources, dynamic: memory by attempt',
    rules:
      'rule r:\n    output: "o"\n    retries: 2\n    resources: mem_mb=lambda wildcards, attempt: attempt * 100\n    shell: "echo x >> tries; test $(wc -l < tries) = 3 && cp tries {output}"',
  },
];

const isThere = spawnSync('snakemake', ['--version']).status === 0;

/** The files that rules wrote; of benchmarks the times differ. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/\.snakemake|^(?:torc_output|flow\.yaml|b\.tsv)|\.db/.test(name))
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

describe.skipIf(!isThere)(
  isThere ? 'a Snakefile' : 'a Snakefile: skipped, there is no snakemake on PATH',
  { timeout: 120_000 },
  () => {
    it.each(PROMISES)('$section', async ({ rules, files = {}, fails = false }) => {
      const all = { Snakefile: `${ALL}${rules}\n`, ...files };
      const [made, run] = [folderWith(all), folderWith(all)];
      const { status } = spawnSync('snakemake', ['--cores', '2'], { cwd: made });
      const converted = await torc(['import', 'snakemake', 'Snakefile', '--cores', '2', '-o', 'flow.yaml'], {
        cwd: run,
      });
      expect(converted).toMatchObject({ code: 0 });
      const ran = await torc(['-s', '--db', 'torc_output/t.db', 'run', 'flow.yaml', '--fail'], { cwd: run });
      expect([status === 0, ran.code === 0], ran.stderr).toEqual([!fails, !fails]);
      const contents = contentsOf(run);
      // Snakemake removes what a failed rule wrote.
      if (fails) delete contents['o'];
      expect(contents).toEqual(contentsOf(made));
    });
  },
);
