import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';

/** The glossary (docs/reference/glossary.md) lists words that are not used; this test finds them, with file and line. */

const root = resolve(import.meta.dirname, '../..');
const GLOSSARY = 'docs/reference/glossary.md';
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Migrations are part of existing databases, and the glossary itself names the words. */
// The labels of patterns are those of Torc 1.0.0, which programs read. Records of decisions are not edited once they are
// accepted: those up to 62 are older than the last words of the list.
const EXCLUDED = [
  /^docs\/adr\/00(?:[0-5]\d|6[0-2])-/,
  /^src\/core\/logs\/patterns/,
  /^docs\/reference\/glossary\.md$/,
  /\.gen\.ts$/,
  /^tests\/docs\/language\.test\.ts$/,
];

const filesUnder = (folder: string, extension: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension) && !path.split('/').includes('node_modules'))
    .map((path) => `${folder}/${path}`);

/** The words between backticks in the last column of each table, and in the first column of the table of style. */
function unwanted(): string[] {
  const [terms = '', style = ''] = read(GLOSSARY).split('## Style');
  const cellsOf = (text: string) =>
    text.split('\n').flatMap((line) => (line.startsWith('|') ? [line.slice(1, line.lastIndexOf('|')).split('|')] : []));
  const cells = [...cellsOf(terms).map((row) => row[3]), ...cellsOf(style).map((row) => row[0])];
  return cells.flatMap((cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word as string));
}

const pattern = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\w-])(?:${words.map((word) => word.replaceAll(' ', '\\s+')).join('|')})(?![\\w-])`, 'gi');

/** A line break in a comment, with the margin of the next line. */
const MARGIN = /\n\s*(?:\*|\/\/) /g;

interface Place {
  readonly value?: unknown;
  readonly start: number;
  readonly end: number;
}

interface Text {
  readonly line: number;
  readonly text: string;
}

/** A name in words, as people say it: `handOut`, `HAND_OUT` and `hand-out` are "hand out". */
const inWords = (name: string): string =>
  name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ').replaceAll(/[_$-]+/g, ' ');

/** Comments, strings, templates and names of a module, the names in words. */
function textsOf(source: string, name: string): Text[] {
  const { program, comments } = parseSync(name, source);
  const texts: Text[] = [];
  const lineAt = (start: number) => source.slice(0, start).split('\n').length;
  const add = (start: number, end: number) => texts.push({ line: lineAt(start), text: source.slice(start, end) });
  for (const { start, end } of comments) add(start, end);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, value, name, start, end } = node as Partial<Record<'type' | 'name', string>> & Place;
    if ((type === 'Literal' && typeof value === 'string') || type === 'TemplateElement') return void add(start, end);
    if (typeof name === 'string' && !EXEMPT_NAMES.test(name)) texts.push({ line: lineAt(start), text: inWords(name) });
    Object.values(node).forEach(visit);
  };
  visit(program);
  return texts;
}

/** `file:line: words` for each unwanted expression; a line break and a comment's margin count as one blank. */
function found(path: string, source: string, words: RegExp): string[] {
  // Parsing costs a hundred times as much as this search, and most files have no such words.
  const named = { line: 1, text: inWords(path.replaceAll(/[/.]/g, ' . ')) };
  const all = `${named.text}\n${source.replaceAll(MARGIN, '\n')}\n${inWords(source)}`;
  if (all.search(words) < 0) return [];
  const own = source.replaceAll(EXEMPT_TEXTS, '');
  const texts = [named, ...(path.endsWith('.md') ? [{ line: 1, text: own }] : textsOf(own, path))];
  return texts.flatMap(({ line, text }) =>
    [...text.replaceAll(MARGIN, (margin) => `\n${' '.repeat(margin.length - 1)}`).matchAll(words)]
      .filter(([word]) => !SLURM_WORDS.has(word))
      .map(
        (match) =>
          `${path}:${line + text.slice(0, match.index).split('\n').length - 1}: ${match[0].replaceAll(/\s+/g, ' ')}`,
      ),
  );
}

/** A state that Slurm prints. */
const SLURM_WORDS: ReadonlySet<string> = new Set(['CANCELLED']);
/** A line of Torc about it, and the name of a user on most systems. */
const EXEMPT_TEXTS = /Job was cancelled|Cancelled pending job step|`nobody`|\(postgres\|nobody\)/g;
/** A field of the API, and the fields of Sonar and of /proc about writes that were canceled. */
const EXEMPT_NAMES = /^(?:tells_end|data_cancelled|cancelled(?:Bytes|Kb|Kilobytes))$/;

const words = pattern(unwanted());

it('the glossary lists words that are not used', () => {
  expect(unwanted()).toEqual(
    expect.arrayContaining(['dependant', 'hands out', 'keeps the truth', 'the words were wrong']),
  );
});

it('an unwanted word is found in a comment, a string, a name and a page, with its line', () => {
  const source = "const isMended = 1;\n/**\n * What it hands\n * out.\n */\nexport const text = 'nothing is mended';\n";
  expect(found('a.ts', source, words)).toEqual(['a.ts:3: hands out', 'a.ts:1: Mended', 'a.ts:6: mended']);
  expect(found('a.ts', 'export const mendedness = 1;\n', words)).toEqual([]);
  expect(found('wish/hand-out.ts', 'export {};\n', words)).toEqual([
    'wish/hand-out.ts:1: wish',
    'wish/hand-out.ts:1: hand out',
  ]);
  expect(found('a.md', 'One line.\n\nThe server keeps the truth.\n', words)).toEqual(['a.md:3: keeps the truth']);
});

it('comments, strings, test titles, names and pages use the words of the glossary', () => {
  const paths = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...['changes', 'docs', 'tests/statements'].flatMap((folder) => filesUnder(folder, '.md')),
    ...['src', 'tests', 'bench', 'scripts'].flatMap((folder) => [
      ...filesUnder(folder, '.ts'),
      ...filesUnder(folder, '.tsx'),
    ]),
  ].filter((path) => !EXCLUDED.some((excluded) => excluded.test(path)));
  expect(paths.flatMap((path) => found(path, read(path), words))).toEqual([]);
});
