import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertMakefile } from '../../src/operations/create/convert/make.ts';
import { planned } from '../spec/reading.ts';
import { folderWith } from '../support/folder-with.ts';
import { temporaryFolder, torc } from '../support/programs.ts';
import { type SingleJob, singleJobs } from '../support/single-jobs.ts';

/** `torc import make`: what make does with a makefile, the workflow does too. */

const hasMake = spawnSync('make', ['--version'], { encoding: 'utf8' }).stdout?.startsWith('GNU Make') === true;

/** The jobs that come right before each job but `all`, by names and files. */
function comesAfter(workflow: object): Record<string, string[]> {
  const jobs = singleJobs(workflow);
  const maker = new Map(jobs.flatMap(({ name, outputs }) => outputs.map((path) => [path, name] as const)));
  const before = (job: SingleJob) => [
    ...new Set([...job.before, ...job.inputs.flatMap((path) => maker.get(path) ?? [])]),
  ];
  return Object.fromEntries(jobs.filter(({ name }) => name !== 'all').map((job) => [job.name, before(job).toSorted()]));
}

const SMALL = `
export GREETING := hello world
PARTS := $(patsubst data/%.txt,parts/%.txt,$(wildcard data/*.txt))
.PHONY: all clean show
all: report.txt show
report.txt: $(PARTS) | tmp
	cat $(sort $(PARTS)) > tmp/whole
	@cd tmp && \\
	  wc -l < whole > ../$@
	-false
	echo "$$GREETING" >> $@
parts/%.txt: data/%.txt header.txt
	cat header.txt $< > $@
header.txt: ; echo header > $@
tmp:
	mkdir -p $@
show: report.txt
	echo 'shown: a\\tb' > shown.txt
clean:
	rm -rf parts tmp report.txt
`;

describe.skipIf(!hasMake)(hasMake ? 'torc import make' : 'torc import make: skipped, there is no GNU make', () => {
  const environment = process.env;

  it('an imported makefile makes the files that make makes', async () => {
    const files = { Makefile: SMALL, 'data/a.txt': '1\n2\n', 'data/b.txt': '3\n', 'parts/keep': '' };
    const [made, run] = [folderWith(files), folderWith(files)];
    execFileSync('make', [], { cwd: made, stdio: 'ignore' });
    const { code, stderr } = await torc(['import', 'make', 'Makefile', '-o', 'flow.yaml'], { cwd: run });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Wrote flow.yaml: 6 jobs')]);
    const ran = await torc(['-s', 'run', 'flow.yaml'], { cwd: run });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('6 jobs completed')]);
    const results = ['report.txt', 'shown.txt', 'header.txt', 'tmp/whole', 'parts/a.txt', 'parts/b.txt'];
    const contents = (folder: string) => results.map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(contents(run)).toEqual(contents(made));
  });

  it('a workflow of variables of single targets, unexport and an empty recipe does what make does', async () => {
    const files = {
      Makefile: `unexport TORC_TEST_TAKEN
all: report.txt
report.txt: export LEVEL = 5
report.txt: data.txt force
	cat data.txt > $@; echo "$$LEVEL [$$TORC_TEST_TAKEN]" >> $@
data.txt: force ; echo "$$LEVEL" > $@
force: ;
`,
    };
    const [made, run] = [folderWith(files), folderWith(files)];
    const variables = { TORC_TEST_TAKEN: 'of the shell' };
    execFileSync('make', [], { cwd: made, stdio: 'ignore', env: { ...process.env, ...variables } });
    expect(await torc(['import', 'make', 'Makefile', '-o', 'flow.yaml'], { cwd: run })).toMatchObject({ code: 0 });
    const ran = await torc(['-s', 'run', 'flow.yaml'], { cwd: run, environment: variables });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('2 jobs completed')]);
    expect(readFileSync(join(run, 'report.txt'), 'utf8')).toBe(readFileSync(join(made, 'report.txt'), 'utf8'));
  });

  it('other targets than the default one are converted when they are named', async () => {
    const folder = folderWith({ Makefile: SMALL });
    const { code, stdout } = await torc(['-f', 'json', 'import', 'make', 'Makefile', 'clean'], { cwd: folder });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        name: 'make clean',
        env: { GREETING: 'hello world' },
        jobs: [{ name: 'clean', command: 'rm -rf parts tmp report.txt' }],
      },
    ]);
  });

  it.each([
    ['all: missing.txt\n\tcat $<\n', [], "No rule to make target 'missing.txt'"],
    ['all\n', [], 'missing separator'],
    ['X = 1\n', [], 'it has no target'],
    ['all: ;\n', [], 'make runs no recipe for all'],
    ['all: ; true\n', ['nothing'], "No rule to make target 'nothing'"],
  ])('the makefile %j with the targets %j is refused, which says "%s"', async (text, targets, words) => {
    const folder = folderWith({ Makefile: text });
    const { code, stdout, stderr } = await torc(['import', 'make', 'Makefile', ...targets], { cwd: folder });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(words)]);
  });

  it('nothing is made while a makefile is converted, also not by a second make', async () => {
    const folder = folderWith({
      Makefile: 'all: a.txt\n\t$(MAKE) -C sub\na.txt: ; touch $@\n',
      'sub/Makefile': 'b.txt: ; touch $@\n',
    });
    const { code, stdout, stderr } = await torc(['import', 'make', 'Makefile'], { cwd: folder });
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('make -C sub'),
      expect.stringContaining('note: $(MAKE) for all'),
    ]);
    expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
      'Makefile',
      'sub',
      'sub/Makefile',
    ]);
  });

  it('an included file that a rule makes does not hide the recipes', async () => {
    const folder = folderWith({
      Makefile: 'all: a.txt\ninclude made.mk\nmade.mk: ; echo "a.txt: ; touch a.txt" > $@\n',
    });
    for (let time = 0; time < 2; time += 1) {
      const { stdout } = await torc(['-f', 'json', 'import', 'make', 'Makefile'], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ name: 'a.txt', command: 'touch a.txt' }] });
    }
  });

  it('a recipe of an included file is reported with the name of that file', async () => {
    const folder = folderWith({ Makefile: 'include rules.mk\n', 'rules.mk': '\nall:\n\t$(MAKE) -C sub\n' });
    const { stderr } = await torc(['import', 'make', 'Makefile'], { cwd: folder });
    expect(stderr).toContain('rules.mk:3: note: $(MAKE) for all');
  });

  it('the targets of a pattern rule are one entry with a parameter, one that differs is another', async () => {
    const folder = folderWith({
      Makefile:
        'all: out/1.txt out/2.txt out/3.txt a.done\nout/%.txt: in/%.c\n\tcp $< $@\nout/2.txt: more.h\n%.done: ; touch $@\n',
      'in/1.c': '',
      'in/2.c': '',
      'in/3.c': '',
      'more.h': '',
    });
    const { stdout } = await torc(['-f', 'json', 'import', 'make', 'Makefile'], { cwd: folder });
    const workflow = JSON.parse(stdout) as { parameters: object; jobs: readonly object[] };
    expect(workflow.parameters).toEqual({ stem: '[1, 3]' });
    expect(workflow.jobs).toMatchObject([
      { name: 'out_{stem}.txt', use_parameters: ['stem'], command: 'cp in/{stem}.c out/{stem}.txt' },
      { name: 'out_2.txt', inputs: ['in/2.c', 'more.h'] },
      { name: 'a.done' },
    ]);
    expect(singleJobs(workflow).map(({ name }) => name)).toEqual(['out_1.txt', 'out_3.txt', 'out_2.txt', 'a.done']);
  });

  it('names with blanks and dollar signs keep their dependencies', async () => {
    const folder = folderWith({
      Makefile: "all: a\\ b.txt c$$d.txt\n\tcat 'a b.txt'\na\\ b.txt: ; touch '$@'\nc$$d.txt: ; touch '$@'\n",
    });
    const { stdout } = await torc(['-f', 'json', 'import', 'make', 'Makefile'], { cwd: folder });
    const jobs = singleJobs(JSON.parse(stdout) as object);
    expect(
      jobs
        .map(({ outputs }) => outputs)
        .flat()
        .toSorted(),
    ).toEqual(['a b.txt', 'c$d.txt']);
    expect(jobs.find(({ name }) => name === 'all')?.inputs).toEqual(['a b.txt', 'c$d.txt']);
  });

  it('what a makefile prints with $(info) is no command, and several lines of a variable are', async () => {
    const folder = folderWith({
      Makefile:
        'define BOTH\n@echo 1\necho 2\nendef\n$(info read)\nall: a b c\na:\n\techo a\nb:\n\t$(BOTH)\nc:\n\t$(info for c)echo c\n',
    });
    const { stdout, stderr } = await torc(['-f', 'json', 'import', 'make', 'Makefile'], { cwd: folder });
    const { jobs } = JSON.parse(stdout) as { jobs: readonly { command: string }[] };
    expect([jobs.map(({ command }) => command), stderr]).toEqual([
      ['echo a', 'set -e\necho 1\necho 2', 'echo c'],
      expect.stringContaining('3 jobs, 0 files, 4 notes, 0 left out'),
    ]);
  });

  const LINES = [
    'echo one',
    '-false',
    'false',
    '@echo two; false; echo three',
    'cd / && pwd',
    'pwd',
    '-cd /nowhere && pwd',

    'test -f nothing && echo found',
    'X=1; echo "$$X" | cat',
    'echo "$$X"',
    "echo 'it''s' \"a b\"",
    'exit 3',
    'set -e; false; echo no',

    "echo 'a\\tb'",
    '# a comment',
    'true || false',
    '(exit 2)',
    'for i in 1 2; do echo $$i; done',
    'echo a \\\n\t  b',
    'ls /nothing 2>&1 | wc -l',
  ];

  it('the command of a job does what make does with the lines of a recipe', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'Makefile');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 5 }), async (lines) => {
        writeFileSync(path, `.PHONY: all\nall:\n${lines.map((line) => `\t${line}\n`).join('')}`);
        const byMake = spawnSync('make', ['-s', '-f', path], { cwd: folder, encoding: 'utf8' });
        const { jobs } = planned((await convertMakefile({ path, targets: [], environment })).workflow);
        const byJob = spawnSync('bash', ['--norc', '-c', jobs.at(0).command], { cwd: folder, encoding: 'utf8' });
        expect([byJob.stdout, byJob.status === 0], jobs.at(0).command).toEqual([byMake.stdout, byMake.status === 0]);
      }),
      { numRuns: 60 },
    );
  });

  it('a job comes after exactly those jobs that make its prerequisites', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'Makefile');
    // Of each target: a file, a phony one or one without a recipe, and which earlier ones it needs, some only for the order.
    const target = fc.record({
      kind: fc.constantFrom('file', 'phony', 'none'),
      needs: fc.array(fc.nat(), { maxLength: 3 }),
      orderOnly: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(target, { minLength: 1, maxLength: 8 }), async (targets) => {
        const needsOf = targets.map(({ needs }, at) => (at === 0 ? [] : [...new Set(needs.map((need) => need % at))]));
        const lines = targets.map(({ kind, orderOnly }, at) => {
          const name = `t${at}.x`;
          const needs = needsOf[at]?.map((need) => `t${need}.x`).join(' ');
          return `${kind === 'file' ? '' : `.PHONY: ${name}\n`}${name}: ${orderOnly ? '| ' : ''}${needs}\n${kind === 'none' ? '' : `\techo ${name} > $@\n`}`;
        });
        writeFileSync(
          path,
          [
            '.DEFAULT_GOAL := all',
            '.PHONY: all',
            ...lines,
            `all: ${targets.map((_, at) => `t${at}.x`).join(' ')}\n\ttrue\n`,
          ].join('\n'),
        );
        const { workflow } = await convertMakefile({ path, targets: [], environment });
        planned(workflow);
        const before = (at: number): string[] =>
          (needsOf[at] ?? []).flatMap((need) => (targets[need]?.kind === 'none' ? before(need) : [`t${need}.x`]));
        const expected = Object.fromEntries(
          targets.flatMap(({ kind }, at) =>
            kind === 'none' ? [] : [[`t${at}.x`, [...new Set(before(at))].toSorted()]],
          ),
        );
        expect(comesAfter(workflow)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
