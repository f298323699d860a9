import { PatternMalformed, type Assertion, type Letter, type Pattern } from './syntax.ts';

/**
 * A pattern as a state machine with numbered states: a letter has one successor, a fork has two, an assertion has one
 * if it holds, and the last state matches.
 */
type State =
  | { readonly kind: 'letter'; readonly letter: Letter; readonly next: number }
  | { readonly kind: 'fork'; readonly left: number; readonly right: number }
  | { readonly kind: 'assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'matched' };

export interface StateMachine {
  readonly states: readonly State[];
  readonly start: number;
}

// Rust refuses patterns that compile to more than 10 MB; `(a{1000}){1000}` is refused here too.
const MOST_STATES = 100_000;
// Parts without a letter create no state: `((){1000}){1000}` would be built a million times without effect.
const MOST_PARTS = 1_000_000;

export function machineOf(pattern: Pattern): StateMachine {
  const states: State[] = [{ kind: 'matched' }];
  let parts = 0;
  const add = (state: State): number => {
    if (states.length >= MOST_STATES) throw tooLarge();
    return states.push(state) - 1;
  };

  /** Adds the states of a pattern after which `next` follows; the number of the first. */
  const build = (part: Pattern, next: number): number => {
    parts += 1;
    if (parts > MOST_PARTS) throw tooLarge();
    switch (part.kind) {
      case 'empty':
        return next;
      case 'letter':
        return add({ kind: 'letter', letter: part.letter, next });
      case 'assert':
        return add({ kind: 'assert', assertion: part.assertion, next });
      case 'sequence':
        return part.items.reduceRight((after, item) => build(item, after), next);
      case 'either': {
        const [first, ...rest] = part.items.map((item) => build(item, next));
        return rest.reduce((left, right) => add({ kind: 'fork', left, right }), first ?? next);
      }
      case 'repeat':
        return repeat(part, next);
    }
  };

  const repeat = ({ item, from, to }: Extract<Pattern, { kind: 'repeat' }>, next: number): number => {
    let entry = next;
    if (to === Infinity) {
      entry = add({ kind: 'fork', left: next, right: next });
      states[entry] = { kind: 'fork', left: build(item, entry), right: next };
    } else {
      for (let extra = from; extra < to; extra += 1)
        entry = add({ kind: 'fork', left: build(item, entry), right: next });
    }
    for (let needed = 0; needed < from; needed += 1) entry = build(item, entry);
    return entry;
  };

  const start = build(pattern, 0);
  return { states, start };
}

const tooLarge = (): PatternMalformed => new PatternMalformed('regex parse error: Compiled regex exceeds size limit');
