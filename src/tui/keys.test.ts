import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { keysOf } from './keys.ts';

test.each([
  ['\u001b[A\u001b[B', ['up', 'down']],
  ['\u001bOC\u001b[D', ['right', 'left']],
  ['\u001b[5~\u001b[6~', ['pgup', 'pgdn']],
  ['\t\u001b[Z\r\u007f', ['tab', 'shift-tab', 'enter', 'backspace']],
  ['gG/ü', ['g', 'G', '/', 'ü']],
  ['\u0003\u001a', ['ctrl-c', 'ctrl-z']],
  ['\u001bq', ['esc', 'q']],
  ['\u001b[1;5A\u0001', []],
  [
    '\u001b[<0;12;5M\u001b[<0;12;5m\u001b[<64;1;1M\u001b[<65;1;1M\u001b[<2;3;4M',
    ['click 11 4', 'wheel-up', 'wheel-down'],
  ],
])('the input %j is these keys', (input, keys) => {
  expect(keysOf(input)).toEqual({ keys, rest: '' });
});

it('a sequence that is cut waits for its rest, and an escape alone may be one', () => {
  expect(keysOf('x\u001b[')).toEqual({ keys: ['x'], rest: '\u001b[' });
  expect(keysOf('\u001b')).toEqual({ keys: [], rest: '\u001b' });
  expect(keysOf('\u001b[5~')).toEqual({ keys: ['pgup'], rest: '' });
});

it('input that arrives in pieces is the same keys as input at once', () => {
  const part = fc.constantFrom('a', '\u001b[A', '\u001b[5~', '\t', '\u001bOB', '\u001b[<0;12;5M', 'é');
  fc.assert(
    fc.property(fc.array(part), fc.nat(), (parts, at) => {
      const input = parts.join('');
      const cut = input.length === 0 ? 0 : at % input.length;
      const first = keysOf(input.slice(0, cut));
      const second = keysOf(first.rest + input.slice(cut));
      expect([...first.keys, ...second.keys]).toEqual(keysOf(input).keys);
    }),
  );
});
