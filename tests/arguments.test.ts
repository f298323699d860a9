import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';

/**
 * A function with many arguments does many things, or passes on what it does not read.
 *
 * Attributes of components (`.tsx`) are written by name at each use, as those of HTML are, and are left out.
 */

const root = resolve(import.meta.dirname, '..');

const NAMED = 8;
const IN_ORDER = 6;

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly left?: Syntax;
  readonly properties?: readonly Syntax[];
  readonly params?: readonly Syntax[];
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string';

function* below(syntax: Syntax): Generator<Syntax> {
  yield syntax;
  for (const value of Object.values(syntax))
    for (const part of Array.isArray(value) ? value : [value]) if (isSyntax(part)) yield* below(part);
}

/** Functions of a source with more arguments than a reader keeps apart: `line 3: 9 named`. */
function largeIn(path: string, source: string): string[] {
  const large: string[] = [];
  const lineOf = ({ start }: Syntax) => source.slice(0, start).split('\n').length;
  for (const { params, ...rest } of below(parseSync(path, source).program as unknown as Syntax)) {
    if (params === undefined || !/Function/.test(rest.type)) continue;
    if (params.length > IN_ORDER) large.push(`line ${lineOf(rest)}: ${params.length} in order`);
    for (const param of params) {
      const { type, properties = [] } = param.left ?? param;
      if (type === 'ObjectPattern' && properties.length > NAMED)
        large.push(`line ${lineOf(param)}: ${properties.length} named`);
    }
  }
  return large;
}

it('a function has at most eight named arguments, and at most six in order', () => {
  const large = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !/\.(?:test|gen)\.ts$/.test(path))
    .flatMap((path) => largeIn(path, readFileSync(resolve(root, path), 'utf8')).map((found) => `${path} ${found}`));
  expect(large).toEqual([]);
});

it('the look at arguments finds nine named ones and seven in order, and leaves eight and six', () => {
  const source = [
    'function eight({ a, b, c, d, e, f, g, h }: All) {}',
    'const nine = ({ a, b, c, d, e, f, g, h, i }: All = {}) => a;',
    'export const six = (a, b, c, d, e, f) => a;',
    'const of = { seven(a, b, c, d, e, f, { g }: G) {} };',
  ].join('\n');
  expect(largeIn('planted.ts', source)).toEqual(['line 2: 9 named', 'line 4: 7 in order']);
});
