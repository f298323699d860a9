import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { convertMakefile } from '../../../src/operations/create/convert/make.ts';
import { noteText } from '../../../src/convert/conversion.ts';
import { folderWith } from '../../support/folder-with.ts';
import { type SingleJob, singleJobs } from '../../support/single-jobs.ts';
import { MAKE_SHAPES, type MakeShape } from './shapes.ts';

/** Makefiles of all shapes, run by make and as workflows: the same files, or *left out* with a reason. */

const hasMake = spawnSync('make', ['--version'], { encoding: 'utf8' }).stdout?.startsWith('GNU Make') === true;
const environment = { PATH: process.env['PATH'], HOME: '/', TORC_TEST_SHELL: 'of the shell' };

/** The files in a folder with their contents. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .flatMap((name) => {
        const path = join(folder, name);
        // What make makes to read the makefile is made already while it is converted.
        return statSync(path).isFile() && !name.endsWith('.mk') ? [[name, readFileSync(path, 'utf8')]] : [];
      }),
  );

/** Runs the jobs one by one; of those that can start, the first or the last one. */
function runJobs(workflow: { readonly env?: object }, folder: string, isLastFirst: boolean): boolean {
  const jobs = singleJobs(workflow);
  const maker = new Map(jobs.flatMap(({ name, outputs }) => outputs.map((path) => [path, name] as const)));
  const before = (job: SingleJob) => [...job.before, ...job.inputs.flatMap((path) => maker.get(path) ?? [])];
  const done = new Map<string, boolean>();
  const waiting = [...jobs];
  while (waiting.length > 0) {
    const ready = waiting.filter((job) => before(job).every((name) => done.has(name)));
    const next = isLastFirst ? ready.at(-1) : ready[0];
    if (next === undefined) throw new Error('no job can start');
    waiting.splice(waiting.indexOf(next), 1);
    const mayStart = before(next).every((name) => done.get(name) === true);
    const run = () =>
      spawnSync('bash', ['--norc', '-c', next.command], {
        cwd: folder,
        env: { ...environment, ...workflow.env, ...next.env },
      });
    done.set(next.name, mayStart && run().status === 0);
  }
  return [...done.values()].every(Boolean);
}

async function compare({ makefile, files = {}, flags = [] }: Omit<MakeShape, 'title'>): Promise<readonly string[]> {
  const all = { Makefile: `${makefile.replaceAll(/^>/gm, '\t')}\n`, ...files };
  const [byMake, asked, ...runs] = [folderWith(all), folderWith(all), folderWith(all), folderWith(all)];
  const made = spawnSync('make', ['-k', ...flags], { cwd: byMake, env: environment, encoding: 'utf8' });
  const home = process.cwd();
  process.chdir(asked);
  const { workflow, notes } = await convertMakefile({ path: 'Makefile', targets: [], environment }).finally(() =>
    process.chdir(home),
  );
  const leftOut = notes.filter(({ isLeftOut }) => isLeftOut).map(noteText);
  if (leftOut.length > 0) return leftOut;
  const results = runs.map((folder, at) => {
    const isRight = runJobs(workflow, folder, at === 1);
    return [isRight, contentsOf(folder)];
  });
  // Make removes intermediate files, which Torc keeps.
  const removed = /^rm (.*)$/m.exec(made.stdout)?.[1]?.split(' ') ?? [];
  for (const [, contents] of results) for (const name of removed) delete (contents as Record<string, string>)[name];
  const expected = [made.status === 0, contentsOf(byMake)];
  expect(results, `${makefile}\n${JSON.stringify(workflow, undefined, 1)}\n${made.stderr}`).toEqual([
    expected,
    expected,
  ]);
  return [];
}

test.skipIf(!hasMake).each(MAKE_SHAPES)('a makefile with $title', async (shape) => {
  const leftOut = await compare(shape);
  expect(leftOut).toEqual(
    shape.leftOut === undefined ? [] : expect.arrayContaining([expect.stringMatching(shape.leftOut)]),
  );
});

const target = fc.record({
  kind: fc.constantFrom(
    'file',
    'file',
    'phony',
    'double',
    'pattern',
    'static',
    'grouped',
    'second',
    'two',
    'none',
    'empty',
  ),
  needs: fc.array(fc.nat(), { maxLength: 3 }),
  orderOnly: fc.array(fc.nat(), { maxLength: 2 }),
  own: fc.array(
    fc.constantFrom(
      'V = own',
      'export V = sent',
      'override V = over',
      'V += more',
      'private P = hidden',
      'export W := $(V)',
      'M := $(LINES)',
    ),
    { maxLength: 2 },
  ),
  lines: fc.array(
    fc.constantFrom(
      '-false',
      '@echo quiet >> $@',
      '$(Q)echo by Q $(V) >> $@',
      '$(I)false',
      '$(BOTH)',
      '-$(BOTH)',
      '$(EMPTY)',
      '$(S) >> $@',
      'echo "$$W $$V $(V) $(P)" >> $@',
      'echo a \\\n  b >> $@',
      'X=$@; echo "$$X" >> $@',
      'echo $(M) >> $@',
      'cd /; pwd >> /dev/null',
    ),
    { maxLength: 3 },
  ),
  isBefore: fc.boolean(),
  isEvaluated: fc.boolean(),
});

const options = fc.subarray(
  [
    'export W = all',
    '.SECONDEXPANSION:',
    'export',
    '.POSIX:',
    'MAKEFLAGS += -r',
    '%.x: export Z = 1',
    'all: export W = top',
    'all: override V = top',
    '.ONESHELL:',
  ],
  {
    maxLength: 2,
  },
);

/** A job that starts before those that it needs reads less. */
const READ = 'cat $^ $| 2> /dev/null | sort -u >> $@';

/** A makefile of these targets; each needs some of those before it. */
function makefileOf(
  targets: readonly (typeof target extends fc.Arbitrary<infer T> ? T : never)[],
  more: readonly string[],
): string {
  const nameOf = (at: number) => `t${at}.x`;
  const rules = targets.map(({ kind, needs, orderOnly, own, lines, isBefore, isEvaluated }, at) => {
    const name = nameOf(at);
    const chosen = (some: readonly number[]) => (at === 0 ? [] : [...new Set(some.map((each) => nameOf(each % at)))]);
    const words = `${chosen(needs).join(' ')} | ${chosen(orderOnly).join(' ')}`;
    const text = ['echo $@ > $@', ...lines, 'echo $^ >> $@', READ].map((line) => `>${line}\n`).join('');
    const rule = {
      file: `${name}: ${words}\n${text}`,
      phony: `.PHONY: ${name}\n${name}: ${words}\n${text}`,
      double: `${name}:: ${words}\n${text}${name}::\n>echo second >> ${name}.more\n`,
      pattern: `t${at}.%: t${at}.in ${words}\n${text}t${at}.in: ; echo in > $@\n`,
      static: `${name}: %.x: ${words}\n${text}`,
      grouped: `${name} ${name}.y &: ${words}\n${text.replaceAll('$@', name)}>cp ${name} ${name}.y\n`,
      second: `.SECONDEXPANSION:\n${name}: D = ${chosen(needs).join(' ')}\n${name}: $$(D) | ${chosen(orderOnly).join(' ')}\n${text}`,
      two: `${name} ${name}.z: ${words}\n${text}`,
      none: `${name}: ${words}\n`,
      empty: `${name}: ${words} ;\n`,
    }[kind];
    const variables = own.map((each) => `${name}: ${each}\n`).join('');
    const all = isBefore ? variables + rule : rule + variables;
    return isEvaluated ? `define R${at}\n${all}endef\n$(eval $(value R${at}))\n` : all;
  });
  const defined =
    'Q = @\nI = -\nS = $(shell echo echo of $(V))\nV = all\ndefine BOTH\n-false\n@echo of both >> $@\nendef\ndefine LINES\none\n\n-t0.x: two\nendef\n';
  return `.DEFAULT_GOAL := all\n${defined}${more.join('\n')}\n${rules.join('')}all: ${targets.map((_, at) => nameOf(at)).join(' ')}\n>echo all > $@`;
}

test.skipIf(!hasMake)('makefiles of random rules, variables and lines make the same files as with make', async () => {
  let same = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(target, { minLength: 1, maxLength: 5 }), options, async (targets, more) => {
      const leftOut = await compare({ makefile: makefileOf(targets, more) });
      if (leftOut.length === 0) same += 1;
      else expect(leftOut).toEqual(leftOut.map(() => expect.stringMatching(/the variable (?:P|BOTH|R\d) of/)));
    }),
    { numRuns: Number(process.env['RUNS'] ?? 40) },
  );
  expect(same).toBeGreaterThan(0);
});
