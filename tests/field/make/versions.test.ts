import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type Conversion, noteText } from '../../../src/convert/conversion.ts';
import { convertMake } from '../../../src/convert/make/convert.ts';
import { readDatabase } from '../../../src/convert/make/database.ts';
import { inEnglish } from '../../../src/convert/make/facts.ts';
import { readTrace } from '../../../src/convert/make/trace.ts';
import { askProgram } from '../../../src/operations/create/convert/ask-program.ts';
import { convertMakefile } from '../../../src/operations/create/convert/make.ts';
import { folderWith } from '../../support/folder-with.ts';

/** What versions of GNU make print for one makefile, and what is made of it; of the others, the lines that differ. */

const read = (version: string) => readFileSync(join(import.meta.dirname, `${version}.txt`), 'utf8');

const PLAIN = 'echo d > d\necho 5 > r\ncat d >> r\n';

const converted = (printed: string, plain = PLAIN): Conversion =>
  convertMake({
    makefile: 'Makefile',
    goals: ['all'],
    printed,
    plain,
    answer: undefined,
    texts: [],
    environment: { all: {}, unset: [], given: {}, mayExport: () => false, mayExportPrivate: false },
    flags: '',
    isIgnoredWithoutE: false,
  });

const leftOutOf = ({ notes }: Conversion): string[] => notes.filter(({ isLeftOut }) => isLeftOut).map(noteText);

/** A text in which one thing is another. */
const edited = (text: string, from: string | RegExp, to: string): string => {
  const other = text.replace(from, to);
  if (other === text) throw new Error(`nothing to replace: ${String(from)}`);
  return other;
};

/** Up to 4.2 variables of a target stand behind its rule, as comments (file.c and variable.c of these versions). */
const upTo42 = edited(
  edited(read('4.3'), "# makefile (from 'Makefile', line 2)\nr: W = 5\n", ''),
  "#  recipe to execute (from 'Makefile', line 4)",
  "# makefile (from 'Makefile', line 2)\n# W = 5\n#  recipe to execute (from 'Makefile', line 4)",
);

const VERSIONS: readonly (readonly [string, string])[] = [
  ['4.0 to 4.2', upTo42],
  ['4.3', read('4.3')],
  ['4.4.1', read('4.4.1')],
  ['4.4.1, a banner before it', `Loading modules …\n${read('4.4.1')}`],
];

test.each(VERSIONS)('GNU make %s: a target with a variable of its own keeps its prerequisite', (_, printed) => {
  const conversion = converted(printed);
  expect([readDatabase(printed).ownVariables, leftOutOf(conversion), conversion.workflow['jobs']]).toEqual([
    new Set(['W']),
    [],
    [
      { name: 'd', command: 'echo d > d', outputs: ['d'] },
      { name: 'r', command: 'set -e\necho 5 > r\ncat d >> r || true', inputs: ['d'], outputs: ['r'] },
    ],
  ]);
});

/** The line that names the target of a recipe. */
const HEADS: readonly (readonly [string, string, object])[] = [
  ['4.3', "Makefile:2: target 'd' does not exist", { target: 'd', file: 'Makefile', line: 2 }],
  ['4.3', "Makefile:2: update target 'd' due to: a b.c", { target: 'd', file: 'Makefile', line: 2 }],
  ['4.3', "<builtin>: update target 'd' due to: d.c", { target: 'd', file: '<builtin>', line: undefined }],
  ['4.4.1', "Makefile:2: update target 'd' due to: target does not exist", { target: 'd', file: 'Makefile', line: 2 }],
  [
    '4.4.1',
    "a b/Makefile:2: update target 'd' due to: target is .PHONY",
    { target: 'd', file: 'a b/Makefile', line: 2 },
  ],
  ['4.4.1', "Makefile:2: update target 'd' due to: unknown reasons", { target: 'd', file: 'Makefile', line: 2 }],
];

test.each(HEADS)('the head of a recipe of GNU make %s: %s', (_, head, expected) => {
  const frame = 'torc-program:/bin/sh\ntorc-flags:default:-c\ntorc-line:\necho\n';
  const { steps } = readTrace(`Must remake target 'd'.\n${head}\n${frame}Successfully remade target file 'd'.\n`);
  expect(steps).toEqual([
    { ...expected, framesBefore: 0, lines: [{ text: 'echo', program: '/bin/sh', flags: '-c', areFlagsOfMake: true }] },
  ]);
});

/** What one of the readings misses, and what is said. */
const MISSED: readonly (readonly [string, string, string, RegExp])[] = [
  [
    'a prerequisite that the data base does not have',
    edited(read('4.3'), '\nr: d\n', '\nr:\n'),
    PLAIN,
    /the order of d and r/,
  ],
  [
    'a target that the data base does not have',
    edited(read('4.3'), '\nr: d\n', '\nr d\n'),
    PLAIN,
    /the order of d and r/,
  ],
  [
    'a recipe with another head',
    edited(read('4.3'), "target 'd' does not exist", "remaking 'd'"),
    PLAIN,
    /the recipe of d: this version/,
  ],
  [
    'targets with other words',
    read('4.3').replaceAll('Considering target', 'Looking at'),
    PLAIN,
    /the order of r: this version/,
  ],
  ['a line that make alone prints', read('4.3'), `${PLAIN}rm d\n`, /no job has it: rm d/],
  [
    'a line between the others that make alone prints',
    read('4.3'),
    'echo d > d\nrm d\necho 5 > r\ncat d >> r\n',
    /"rm d", not "echo 5 > r"/,
  ],
  ['a line that changes', read('4.3'), edited(PLAIN, '5', '6'), /"echo 6 > r", not "echo 5 > r"/],
  ['a line that make alone does not print', read('4.3'), edited(PLAIN, 'cat d >> r\n', ''), /not "cat d >> r"/],
];

test.each(MISSED)('%s is left out, not passed over', (_, printed, plain, words) => {
  expect(leftOutOf(converted(printed, plain))).toContainEqual(expect.stringMatching(words));
});

test.each([1, 5, 20, 40, 60, 80, 98])('what make prints up to line %i is refused, not taken for all', (lines) => {
  const cut = read('4.3').split('\n').slice(0, lines).join('\n');
  expect(() => converted(cut)).toThrow('ends before its end');
});

const hasMake = spawnSync('make', ['--version'], { encoding: 'utf8' }).stdout?.startsWith('GNU Make') === true;

/** Another program by the name of make, with the real one behind it. */
function withMake(script: string): Promise<Conversion> {
  const folder = folderWith({ Makefile: 'all: a.x\na.x: ; touch $@\n', 'bin/make': `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, 'bin/make'), 0o755);
  const PATH = process.env['PATH'] ?? '';
  writeFileSync(join(folder, 'bin/real'), `#!/bin/sh\nPATH='${PATH}' exec make "$@"\n`, { mode: 0o755 });
  return convertMakefile({
    path: join(folder, 'Makefile'),
    targets: [],
    environment: { PATH: `${join(folder, 'bin')}:${PATH}` },
  });
}

describe.skipIf(!hasMake)('programs by the name of make', () => {
  it.each([
    ['nothing', 'exit 0', 'it has no target'],
    ['an error on standard output', 'echo "make: *** broken"; exit 2', 'make refuses it'],
    [
      'GNU make 3.81',
      'echo "make: unrecognized option \'--eval\'" >&2; echo usage >&2; exit 2',
      'GNU make 4.0 or newer is needed',
    ],
    ['make of NetBSD', 'echo "make: illegal option -- -" >&2; exit 2', 'GNU make 4.0 or newer is needed'],
    ['make of FreeBSD', 'echo "make: unknown option -- -" >&2; exit 2', 'GNU make 4.0 or newer is needed'],
    ['one that is cut off', 'real "$@" | head -c 2000', 'ends before its end'],
  ])('%s is refused', async (_, script, words) => {
    await expect(withMake(script)).rejects.toThrow(words);
  });

  it('a banner before all that make prints changes nothing', async () => {
    const { workflow, notes } = await withMake('echo "make: loading …"; echo "GNU make of this site"; exec real "$@"');
    expect([workflow['jobs'], notes.filter(({ isLeftOut }) => isLeftOut)]).toEqual([
      [{ name: 'a.x', command: 'touch a.x', outputs: ['a.x'] }],
      [],
    ]);
  });
});

test('a program that prints without end is stopped, and the error names fewer targets', async () => {
  const asked = {
    program: 'yes',
    called: 'yes',
    reads: 'a file',
    atMostMs: 60_000,
    atMostBytes: 1000,
    environment: process.env,
    reasonOf: () => '',
  };
  await expect(askProgram('Makefile', asked, [])).rejects.toThrow(
    'Makefile: yes printed more than can be read, and was stopped: name fewer targets',
  );
});

/** The language of the user, and whether make has to be asked for English. */
const LANGUAGES: readonly (readonly [Record<string, string>, string | undefined])[] = [
  [{}, undefined],
  [{ LANG: 'C.UTF-8' }, undefined],
  [{ LANG: 'en_US.UTF-8' }, undefined],
  [{ LANG: 'de_DE.UTF-8' }, 'en'],
  [{ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }, undefined],
  [{ LANG: 'en_US.UTF-8', LC_MESSAGES: 'fr_FR' }, 'en'],
  [{ LANG: 'en_US.UTF-8', LANGUAGE: 'de' }, 'en'],
  [{ LANG: 'eng' }, 'en'],
];

test.each(LANGUAGES)('with %j make gets LANGUAGE=%s and no other variable of the language', (given, language) => {
  const { MAKEFLAGS: _, MAKELEVEL: __, MFLAGS: ___, ...rest } = inEnglish(given);
  expect(rest).toEqual({ ...given, ...(language === undefined ? {} : { LANGUAGE: language }) });
});
