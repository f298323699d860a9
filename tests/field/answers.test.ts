import { existsSync, readFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Answers, SHAPES } from './answers/answer.ts';
import * as cards from './answers/cards.ts';
import * as failures from './answers/failures.ts';
import * as pbs from './answers/pbs.ts';
import * as sacct from './answers/sacct.ts';
import * as sbatch from './answers/sbatch.ts';
import * as scontrol from './answers/scontrol.ts';
import * as sinfo from './answers/sinfo.ts';
import * as sonarJobs from './answers/sonar-jobs.ts';
import * as squeue from './answers/squeue.ts';
import * as sstat from './answers/sstat.ts';

/** Every question to a program of the field, with an answer of every shape: the type asks for them. */
const QUESTIONS: readonly Answers[] = [
  cards,
  failures,
  pbs,
  sacct,
  sbatch,
  scontrol,
  sinfo,
  sonarJobs,
  squeue,
  sstat,
].flatMap((tables) => Object.values(tables));

const ROWS = QUESTIONS.flatMap(({ program, question, read, rows, odd = [] }) => [
  ...SHAPES.map((shape) => ({ program, question, shape, read, row: rows[shape] })),
  ...odd.map((row) => ({ program, question, shape: 'an odd text', read, row })),
]);

test.each(ROWS)('$program, asked $question, answers $shape: $row.0', async ({ read, row: [, text, value] }) => {
  const found = await Promise.resolve(text)
    .then(read)
    .catch((error: Error) => ({ refused: error.message }));
  expect(found).toEqual(value);
});

/** Programs that we start whose words are read elsewhere, or not at all. */
const OTHERS: Readonly<Record<string, string>> = {
  ssh: 'tests/field/login-shells.test.ts',
  make: 'tests/field/make/versions.test.ts',
  snakemake: 'tests/e2e/import-snakemake.test.ts',
  bash: 'it hands a script on to sbatch',
  qsub: 'src/cluster/pbs/qsub.test.ts',
  qdel: 'src/cluster/pbs/qdel.test.ts',
  qhold: 'src/cluster/pbs/qdel.test.ts',
  qrls: 'src/cluster/pbs/qdel.test.ts',
  id: 'src/cluster/pbs/partitions.test.ts',
  systemctl: 'its words are shown',
  tar: 'it packs and unpacks',
};

test('every program that we start has a table here, or a reason for which it has none', () => {
  const files = globSync('src/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
  const texts = files.map((path) => readFileSync(path, 'utf8')).join('\n');
  const named = [
    ...texts.matchAll(/\b(?:runHelper|runToEnd|readsWith|runInForeground|startDetached)\(\s*'([\w-]+)'/g),
    ...texts.matchAll(/\bprogram: '([\w-]+)'/g),
    ...texts.matchAll(/^ {2}(\w+): 'TORC_FAKE_\w+'/gm),
    ...(/^export type PbsProgram =(.*?);/ms.exec(texts)?.[1] ?? '').matchAll(/'(\w+)'/g),
  ].map(([, name]) => name as string);
  const known = new Set([...QUESTIONS.map(({ program }) => program), ...Object.keys(OTHERS)]);
  expect(named.length).toBeGreaterThan(15);
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !named.includes(name))).toEqual([]);
  expect(Object.values(OTHERS).filter((each) => each.endsWith('.ts') && !existsSync(each))).toEqual([]);
});
