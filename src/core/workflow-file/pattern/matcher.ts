import { isAsciiWordLetter, isWordLetter } from './letters.ts';
import type { StateMachine } from './machine.ts';
import type { Assertion } from './syntax.ts';

/**
 * Runs a state machine over a text in one pass, for any pattern: all states at once, with the transitions of each set
 * of states cached, so that a million similar names cost a table lookup a letter.
 *
 * JavaScript's own RegExp would be shorter, but it backtracks: `(a+)+$` with thirty letters takes minutes, and Torc's
 * library guarantees that this cannot happen.
 */
export class Matcher {
  private readonly machine: StateMachine;
  private readonly isAnchored: boolean;
  private sets = new Map<string, StateSet>();
  private first: StateSet;

  constructor(machine: StateMachine, isAnchored: boolean) {
    this.machine = machine;
    this.isAnchored = isAnchored;
    this.first = newSet([], 'start');
  }

  /** Whether the pattern occurs anywhere in the text. */
  matches(text: string): boolean {
    let set = this.first;
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      let next: StateSet | typeof MATCHED | undefined;
      if (code < 128) {
        next = set.ascii[code] ?? this.step(set, text[at] ?? '');
        at += 1;
      } else {
        const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
        next = set.others.get(letter) ?? this.step(set, letter);
        at += letter.length;
      }
      if (next === MATCHED) return true;
      // No state is left that could still match, and no new start is possible.
      if (this.isAnchored && next.states.length === 0) return false;
      set = next;
    }
    return (set.matchesAtEnd ??= this.closure(set, undefined).includes(0));
  }

  private step(set: StateSet, letter: string): StateSet | typeof MATCHED {
    const closure = this.closure(set, letter);
    const next = closure.includes(0) ? MATCHED : this.setOf(this.after(closure, letter), before(letter));
    const code = letter.charCodeAt(0);
    if (code < 128) set.ascii[code] = next;
    else set.others.set(letter, next);
    return next;
  }

  private after(states: readonly number[], letter: string): number[] {
    const next = new Set<number>();
    for (const number of states) {
      const state = this.machine.states[number];
      if (state?.kind === 'letter' && state.letter.fits(letter)) next.add(state.next);
    }
    return [...next].sort((a, b) => a - b);
  }

  /** The states reached without a letter, including a new start: the pattern may begin anywhere. */
  private closure(set: StateSet, letter: string | undefined): number[] {
    const seen = new Set<number>();
    const open = [...set.states, this.machine.start];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (seen.has(number)) continue;
      seen.add(number);
      const state = this.machine.states[number];
      if (state?.kind === 'fork') open.push(state.left, state.right);
      else if (state?.kind === 'assert' && holds(state.assertion, set.before, letter)) open.push(state.next);
    }
    return [...seen];
  }

  private setOf(states: number[], beforeNext: Before): StateSet {
    const key = `${states.join(',')}/${beforeNext}`;
    const known = this.sets.get(key);
    if (known !== undefined) return known;
    if (this.sets.size >= MOST_SETS) {
      this.sets = new Map();
      this.first = newSet([], 'start');
    }
    const set = newSet(states, beforeNext);
    this.sets.set(key, set);
    return set;
  }
}

// Sets are created as texts need them; a pattern with more sets than this clears them and starts again, which costs
// only time.
const MOST_SETS = 2000;

const MATCHED = Symbol('matched');

/** The text before the present position, as far as an assertion may depend on it. */
type Before = 'start' | 'newline' | 'return' | 'asciiWord' | 'word' | 'other';

interface StateSet {
  readonly states: readonly number[];
  readonly before: Before;
  readonly ascii: (StateSet | typeof MATCHED | undefined)[];
  readonly others: Map<string, StateSet | typeof MATCHED>;
  matchesAtEnd: boolean | undefined;
}

const newSet = (states: readonly number[], beforeNext: Before): StateSet => ({
  states,
  before: beforeNext,
  ascii: [],
  others: new Map(),
  matchesAtEnd: undefined,
});

function before(letter: string): Before {
  if (letter === '\n') return 'newline';
  if (letter === '\r') return 'return';
  if (isAsciiWordLetter(letter)) return 'asciiWord';
  return isWordLetter(letter) ? 'word' : 'other';
}

function holds(assertion: Assertion, behind: Before, ahead: string | undefined): boolean {
  if ('isAscii' in assertion) return isBorder(assertion, behind, ahead);
  switch (assertion.kind) {
    case 'start':
      return behind === 'start';
    case 'end':
      return ahead === undefined;
    case 'lineStart':
      return behind === 'start' || behind === 'newline';
    case 'lineEnd':
      return ahead === undefined || ahead === '\n';
    case 'lineStartCrlf':
      return behind === 'start' || behind === 'newline' || (behind === 'return' && ahead !== '\n');
    case 'lineEndCrlf':
      return ahead === undefined || ahead === '\r' || (ahead === '\n' && behind !== 'return');
  }
}

function isBorder(
  { kind, isAscii }: Extract<Assertion, { isAscii: boolean }>,
  behind: Before,
  ahead: string | undefined,
): boolean {
  const isWordBehind = behind === 'asciiWord' || (behind === 'word' && !isAscii);
  const isWordAhead = ahead !== undefined && (isAscii ? isAsciiWordLetter(ahead) : isWordLetter(ahead));
  switch (kind) {
    case 'word':
      return isWordBehind !== isWordAhead;
    case 'notWord':
      return isWordBehind === isWordAhead;
    case 'wordStart':
      return !isWordBehind && isWordAhead;
    case 'wordEnd':
      return isWordBehind && !isWordAhead;
    case 'wordStartHalf':
      return !isWordBehind;
    case 'wordEndHalf':
      return !isWordAhead;
  }
}
