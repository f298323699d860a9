/** Names of keys: a letter or sign is its own name. The mouse has `wheel-up`, `wheel-down` and `click COLUMN LINE`, from 0. */
export type KeyName = string;

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[5~': 'pgup',
  '[6~': 'pgdn',
  '[H': 'home',
  '[F': 'end',
  '[1~': 'home',
  '[4~': 'end',
  OH: 'home',
  OF: 'end',
  '[Z': 'shift-tab',
};

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'ctrl-c',
  '\u001a': 'ctrl-z',
  '\u000c': 'ctrl-l',
  '\u0015': 'ctrl-u',
  '\u0017': 'ctrl-w',
};

const ESCAPE = '\u001b';
// eslint-disable-next-line no-control-regex
const SEQUENCE = /^\u001b(\[<?[\d;]*[A-Za-z~]|O[A-Za-z])/;
// eslint-disable-next-line no-control-regex
const BEGUN = /^\u001b(\[<?[\d;]*|O)?$/;
/** The mouse in the form of xterm 1006: button, column and line from 1, M when it goes down. */
const MOUSE = /^\[<(\d+);(\d+);(\d+)M$/;

export interface ReadKeys {
  readonly keys: readonly KeyName[];
  /** The beginning of a sequence whose rest has not arrived: a slow line cuts them anywhere. */
  readonly rest: string;
}

/** The keys in what a terminal sent. A sequence that no key here has is left out. */
export function keysOf(input: string): ReadKeys {
  const keys: KeyName[] = [];
  let left = input;
  while (left !== '') {
    const [whole, sequence] = SEQUENCE.exec(left) ?? [];
    if (whole !== undefined) {
      const key = SEQUENCES[sequence ?? ''] ?? mouseKey(sequence ?? '');
      if (key !== undefined) keys.push(key);
      left = left.slice(whole.length);
    } else if (BEGUN.test(left)) {
      return { keys, rest: left };
    } else if (left.startsWith(ESCAPE)) {
      keys.push('esc');
      left = left.slice(1);
    } else {
      const character = String.fromCodePoint(left.codePointAt(0) as number);
      const key = CONTROLS[character] ?? (character >= ' ' ? character : undefined);
      if (key !== undefined) keys.push(key);
      left = left.slice(character.length);
    }
  }
  return { keys, rest: '' };
}

function mouseKey(sequence: string): KeyName | undefined {
  const [, button, column, line] = MOUSE.exec(sequence) ?? [];
  if (button === '64') return 'wheel-up';
  if (button === '65') return 'wheel-down';
  return button === '0' ? `click ${Number(column) - 1} ${Number(line) - 1}` : undefined;
}
