import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/**
 * A file of many lines does many things. A file of some lines with one reader, in its own folder, is a second place to look at for one thought: it joins its reader.
 *
 * A module that is loaded on use and the entry of a thread are left out, and so are `queries.ts` and `handlers.ts`, which every
 * module of the server has.
 */

const root = resolve(import.meta.dirname, '..');

const LINES = 30;

const PART = 'one of several of its kind, which has a file each';

/** Small files that stay, and why. The list may only shrink: an entry whose file has grown, gone or found a second reader goes. */
const STAY: Readonly<Record<string, string>> = {
  'src/cluster/gpu/habana.ts': PART,
  'src/cluster/gpu/xpu.ts': PART,
  'src/tui/views/summary.ts': PART,
};

/** A statement, or an expression that loads a module on use. */
const IMPORT = /^(?:import|export) [^;]*?from '(\.[^']+)';$|\bimport\('(\.[^']+)'\)/gm;

/** The small files of these sources with one reader, which stands in their folder. */
function pebblesOf(sources: ReadonlyMap<string, string>): string[] {
  const readers = new Map<string, Set<string>>();
  for (const [path, text] of sources)
    for (const [, now, later] of text.matchAll(IMPORT)) {
      const read = join(dirname(path), (now ?? later) as string);
      // What is loaded on use stays apart, and so counts as read from elsewhere.
      readers.set(read, (readers.get(read) ?? new Set()).add(now === undefined ? 'on use' : path));
    }
  return [...sources].flatMap(([path, text]) => {
    const [reader = '', ...others] = readers.get(path) ?? [];
    const isSmall = text.split('\n').length <= LINES && !/\/(?:queries|handlers)\.ts$/.test(path);
    return isSmall && others.length === 0 && dirname(reader) === dirname(path) ? [path] : [];
  });
}

const house = new Map(
  globSync('src/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => !/\.(?:test|gen)\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(resolve(root, path), 'utf8')]),
);

it('a file of under 30 lines with one reader, in its own folder, has joined it, but for those with a reason', () => {
  expect(pebblesOf(house).toSorted()).toEqual(Object.keys(STAY).toSorted());
});

it('no file has more than 300 lines', () => {
  expect([...house].filter(([, text]) => text.trimEnd().split('\n').length > 300).map(([path]) => path)).toEqual([]);
});

it('the look at small files finds one that one neighbour reads, and leaves those of two readers, of other folders and those loaded on use', () => {
  const sources = {
    'src/a/one.ts':
      "import {\n  two,\n} from './two.ts';\nimport type { Three } from './three.ts';\nimport './b/five.ts';\n",
    'src/a/two.ts': "import { three } from './three.ts';\nconst four = () => import('./four.ts');\n",
    'src/a/three.ts': 'export const three = 3;\n',
    'src/a/four.ts': 'export const four = 4;\n',
    'src/a/b/five.ts': "import { six } from './queries.ts';\n",
    'src/a/b/queries.ts': 'export const six = 6;\n',
    'src/a/long.ts': `import { two } from './longer.ts';\n`,
    'src/a/longer.ts': `${'\n'.repeat(LINES)}`,
  };
  expect(pebblesOf(new Map(Object.entries(sources)))).toEqual(['src/a/two.ts']);
});
