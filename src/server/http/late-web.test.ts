import { expect, it } from 'vitest';
import { standIn } from './late-web.ts';

class Real {
  static of = (word: string) => new Real(word);
  readonly [Symbol.toStringTag] = 'Real';
  readonly #word: string;

  constructor(word: string) {
    this.#word = word;
  }

  get word() {
    return this.#word;
  }
}

function lateReal() {
  const loaded: string[] = [];
  const Late = standIn('Real', () => {
    loaded.push('Real');
    return Real;
  });
  return { Late, loaded };
}

it('to derive from a class, to name it and to ask for its instances loads nothing', () => {
  const { Late, loaded } = lateReal();
  class Own extends Late {}
  const light = Object.create(Own.prototype) as Own;
  Object.setPrototypeOf(class {}, Late);
  expect([light instanceof Own, light instanceof Late, {} instanceof Late]).toEqual([true, true, false]);
  expect([Late.name, loaded]).toEqual(['Real', []]);
});

it('the first object is one of the class, which is loaded once', () => {
  const { Late, loaded } = lateReal();
  expect([new Late('a').word, new Late('b').word]).toEqual(['a', 'b']);
  expect(new Late('a')).toBeInstanceOf(Real);
  expect([new Real('c') instanceof Late, {} instanceof Late]).toEqual([true, false]);
  expect([Late.of('d').word, loaded]).toEqual(['d', ['Real']]);
});

it('an object that was made without the stand-in is one of the class, and a static member can be the first that is used', () => {
  for (const derived of [false, true]) {
    const [{ Late, loaded }, other] = [lateReal(), lateReal()];
    const First = derived ? class Own extends Late {} : Late;
    expect([new Real('a') instanceof Late, loaded]).toEqual([true, ['Real']]);
    expect([Object.hasOwn(First, 'of'), other.Late.of('d').word, other.loaded]).toEqual([false, 'd', ['Real']]);
    expect([Late.of('e').word, First.of('f').word]).toEqual(['e', 'f']);
  }
});

it('what derived from the stand-in before has the members of the class afterwards', () => {
  const { Late } = lateReal();
  class Own extends Late {
    twice = () => this.word + this.word;
  }
  const own = new Own('a');
  expect([own.twice(), own instanceof Own, own instanceof Late]).toEqual(['aa', true, true]);
  expect([new Real('b') instanceof Own, Own.of('d').word]).toEqual([false, 'd']);
});
