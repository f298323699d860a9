import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/core/workflow-file/problems/problems.ts';
import { readSpec } from '../../src/core/workflow-file/read/read.ts';
import { VERSION } from '../../src/core/contract/version.ts';
import { commandsOf } from '../../src/cli/program/commands.ts';
import { pagesToFollow } from '../support/pages/all.ts';
import { parsePage } from '../support/pages/parse.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pagesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? pagesUnder(`${folder}/${entry.name}`)
      : entry.name.endsWith('.md')
        ? [`${folder}/${entry.name}`]
        : [],
  );

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'changes/README.md', ...pagesUnder('docs')];

/** The workflow files that a page shows. */
const yamlIn = (page: string): string[] =>
  [...read(page).matchAll(/^```yaml\n(.*?)^```$/gms)].map((match) => match[1] as string);

it('every workflow file in the pages and among the examples is right', () => {
  const inPages = pages.flatMap((page) => yamlIn(page).map((text) => ({ name: page, text })));
  const examples = readdirSync(join(root, 'examples')).filter((name) => /\.(ya?ml|json5?|kdl)$/.test(name));
  const files = examples.map((name) => ({ name: `examples/${name}`, text: read(`examples/${name}`) }));
  for (const { name, text } of [...inPages, ...files]) {
    const format = name.endsWith('.md') ? { format: 'yaml' as const } : {};
    // A table that the page shows, or one of the repository.
    const shown = name.endsWith('.md') ? parsePage(read(name)).filter((step) => step.kind === 'file') : [];
    const readFile = (path: string) => shown.find((file) => file.name === path)?.text ?? read(path);
    // Files of patterns are made by the commands of the page.
    const look = {
      fileExists: () => true,
      listFolder: (path: string) => (existsSync(path) ? readdirSync(path) : ['a.txt', 'a_b.txt', 'a_b.fastq']),
    };
    const { problems } = readSpec({ name, text, ...format }, { readFile, ...look });
    expect(problems.map(formatProblem)).toEqual([]);
  }
});

it('at most eight console blocks are shown without being run, each for a reason', () => {
  const notRun = pagesToFollow().flatMap(({ page, steps }) =>
    steps.flatMap((step) => (step.kind === 'commands' && step.notRun !== undefined ? [`${page}: ${step.notRun}`] : [])),
  );
  expect(notRun.length, notRun.join('\n')).toBeLessThanOrEqual(8);
});

it('every variable of the environment that a program reads stands in the page about them', () => {
  const page = read('docs/reference/environment.md');
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test|\.gen)\.ts$/.test(path),
  );
  const variables = new Set(
    sources.flatMap((path) =>
      [...read(`src/${path}`).matchAll(/'([A-Z][A-Z0-9]*_[A-Z0-9_]+)'/g)].flatMap(([, name = '']) =>
        /^(?:TORC|SLURM(?!_DEFAULT)|CUDA|RUST)_|^(?:NO_COLOR|DATABASE_URL)$/.test(name) ? [name] : [],
      ),
    ),
  );
  expect(variables.size).toBeGreaterThan(15);
  expect([...variables].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it('the index of the docs leads to every page', () => {
  const linked = [...read('docs/README.md').matchAll(/\]\(([^)#]+)/g)].map((match) =>
    resolve(root, 'docs', match[1] as string),
  );
  const listed = pages.filter((page) => /^docs\/(?:tutorials|how-to|reference|explanation)\//.test(page));
  expect(listed.filter((page) => !linked.includes(resolve(root, page)))).toEqual([]);
});

it('every link between pages leads somewhere', () => {
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map((match) => match[1] as string)
      .filter((target) => !existsSync(resolve(root, page, '..', target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

describe('how it is built', () => {
  const page = read('docs/explanation/how-it-is-built.md');
  const waysOf = (text: string) =>
    text.split(/^## /m).flatMap((part) => {
      const files = [...part.matchAll(/`(src\/[\w/.-]+\.tsx?)`/g)].map((match) => match[1] as string);
      return /^1\. /m.test(part) ? [{ title: part.split('\n')[0] as string, files }] : [];
    });

  it('names only files that exist, on eight ways through the rooms and in the table of decisions', () => {
    const ways = waysOf(page);
    expect(ways.map(({ title }) => title)).toEqual([
      'A job',
      'The end of an attempt',
      'A claim',
      'A sample',
      'A recovery',
      'An update',
      'An allocation',
      'A view of the page',
    ]);
    expect(ways.filter(({ files }) => files.length < 4)).toEqual([]);
    const named = [...page.matchAll(/`(src\/[\w/.-]+)`/g)].map((match) => match[1] as string);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('a file that was moved would be named as missing', () => {
    const [way] = waysOf('## A way\n\n1. `src/no/such.ts`\n');
    expect(way?.files.filter((path) => !existsSync(join(root, path)))).toEqual(['src/no/such.ts']);
  });
});

it('the version is the same everywhere', () => {
  expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION);
  expect(/^## (.*)$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(VERSION);
});

it('every command that the README names is there', async () => {
  const commands = new Set((await commandsOf('torc')).map(({ words }) => words.replace(/ [<[].*/, '')));
  const named = [...read('README.md').matchAll(/`torc (?:-s )?((?:[a-z]+ ?)+)/g)].map(([, words = '']) => words.trim());
  const known = (words: string) => [...commands].some((each) => each === words || each.startsWith(`${words} `));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((words) => !known(words) && !known(words.split(' ')[0] as string))).toEqual([]);
});
