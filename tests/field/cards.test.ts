import { expect, test } from 'vitest';
import { jsonIn, parseRocmCards } from '../../src/cluster/gpu/amd-text.ts';

/** What tools of cards print, in public reports about programs that read them, and what follows. */

const CARDS = '{"card0": {"Unique ID": "0x1", "PCI Bus": "0000:0C:00.0"}}';

const PRINTED: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'https://github.com/ROCm/amdsmi/pull/114 (a warning about groups stands before the JSON)',
    `WARNING: User is missing the following required groups: render, video\n${CARDS}\n`,
    ['0x1'],
  ],
  [
    'https://github.com/liquidctl/liquidctl/issues/530 (several warnings)',
    `WARNING: a\nWARNING: {b}\n${CARDS}`,
    ['0x1'],
  ],
  [
    'https://github.com/ROCm/legacy-rocm-build/issues/4374 (nothing to report is no JSON, with exit code 0)',
    'WARNING: No JSON data to report\n',
    [],
  ],
  ['the output is cut off', CARDS.slice(0, 40), []],
  ['it prints nothing', '', []],
];

test.each(PRINTED)('the cards in %s', (_, text, uuids) => {
  expect(parseRocmCards(text, 'n1').cards.map(({ uuid }) => uuid)).toEqual(uuids);
  expect(jsonIn(text) === undefined).toBe(uuids.length === 0);
});
