import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { railsOf } from './rails.ts';

const edgesOf = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [from = '', to = ''] = pair.split('>');
    return { from, to };
  });
const drawn = (keys: string, ...pairs: string[]) =>
  railsOf(keys.split(' '), edgesOf(...pairs), 20)?.lines.map(({ key, text }) =>
    key === undefined ? text : `${text} ${key}`,
  );

it('a chain is one rail', () => {
  expect(drawn('a b c', 'a>b', 'b>c')).toEqual(['● a', '● b', '● c']);
});

it('two branches leave one key and join in another one', () => {
  expect(drawn('a b c d', 'a>b', 'a>c', 'b>d', 'c>d')).toEqual(['● a', '├─╮', '● │ b', '│ ● c', '├─╯', '● d']);
});

it('a dependency that follows from others is not drawn', () => {
  expect(drawn('a b c', 'a>b', 'b>c', 'a>c')).toEqual(['● a', '● b', '● c']);
});

it('keys that depend on nothing are apart, and join the rail to what they lead to', () => {
  expect(drawn('a b c d', 'a>c', 'b>c')).toEqual(['● a', '│ ● b', '├─╯', '● c', '', '● d']);
});

it('a rail that passes under another one is not joined with it', () => {
  expect(drawn('a b c x y', 'a>b', 'a>c', 'a>x', 'b>y', 'x>y', 'c>y')).toEqual([
    '● a',
    '├─┬─╮',
    '● │ │ b',
    '│ ● │ c',
    '├─╯ │',
    '│   ● x',
    '├───╯',
    '● y',
  ]);
});

it('circles are cut where they close, and the edge is named', () => {
  const { lines, back } = railsOf(['a', 'b'], edgesOf('a>b', 'b>a', 'a>a'), 20) ?? { lines: [], back: [] };
  expect(lines).toEqual([
    { key: 'a', text: '●' },
    { key: 'b', text: '●' },
  ]);
  expect(back).toEqual(edgesOf('b>a'));
});

it('more rails than there is room for are not drawn', () => {
  const pairs = edgesOf('a>b', 'a>c', 'a>d');
  expect(railsOf(['a', 'b', 'c', 'd'], pairs, 2)).toBeUndefined();
  expect(railsOf(['a', 'b', 'c', 'd'], pairs, 3)).toBeDefined();
});

/** What a reader follows with a finger: from each key down along the lines to the next keys. */
function edgesIn(lines: readonly { readonly key?: string; readonly text: string }[]): string[] {
  const found: string[] = [];
  let sources: Set<string>[] = [];
  let [marked, above] = [-1, ''];
  for (const { key, text } of lines) {
    const signs = Array.from({ length: 40 }, (_, place) => text[place * 2] ?? ' ');
    if (key !== undefined) {
      const at = signs.indexOf('●');
      for (const source of sources[at] ?? []) found.push(`${source}>${key}`);
      sources = signs.map((sign, place) =>
        sign === ' ' ? new Set() : place === at ? new Set([key]) : (sources[place] ?? new Set()),
      );
      [marked, above] = [at, key];
      continue;
    }
    sources = signs.map((sign, place) => {
      const before = [...(sources[place] ?? [])];
      if (sign === '│' || sign === ' ') return new Set(sign === ' ' ? [] : before);
      if ('╰╯┴─'.includes(sign)) return new Set();
      return new Set([...(place !== marked && '├┤┼'.includes(sign) ? before : []), above]);
    });
  }
  return found.toSorted();
}

/** By the definition: an edge stays unless another way leads from its beginning to its end. */
function reducedBruteForce(edges: readonly (readonly [number, number])[]): string[] {
  const leads = (from: number, to: number, without: readonly [number, number]): boolean =>
    edges.some(
      (edge) => edge[0] === from && edge.join() !== without.join() && (edge[1] === to || leads(edge[1], to, without)),
    );
  return [
    ...new Set(edges.filter((edge) => !leads(edge[0], edge[1], edge)).map(([from, to]) => `k${from}>k${to}`)),
  ].toSorted();
}

test('following the lines finds each dependency that does not follow from others, and no other one', () => {
  const size = 8;
  const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1)).filter(([from, to]) => from < to);
  fc.assert(
    fc.property(
      fc.uniqueArray(edge, { maxLength: 16, selector: String }),
      fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      (edges, order) => {
        const keys = order.map((each) => `k${each}`);
        const { lines, back } = railsOf(
          keys,
          edges.map(([from, to]) => ({ from: `k${from}`, to: `k${to}` })),
          40,
        ) ?? { lines: [], back: [] };
        expect(back).toEqual([]);
        expect(lines.flatMap(({ key }) => key ?? []).toSorted()).toEqual(keys.toSorted());
        expect(edgesIn(lines)).toEqual(reducedBruteForce(edges));
      },
    ),
  );
});
