import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pairedByName } from './by-name.ts';

const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 8 });
const wantedNames = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'));

it('each wanted name gets the first record that has it, whatever the order of both', () => {
  fc.assert(
    fc.property(names, wantedNames, fc.boolean(), (stored, wanted, isReversed) => {
      const records = stored.map((name, id) => ({ id, name }));
      const order = isReversed ? Int32Array.from(wanted.keys()).reverse() : undefined;
      const found = pairedByName(records, {
        length: wanted.length,
        nameAt: (number) => wanted[number],
        ...(order === undefined ? {} : { order }),
      });
      expect(found).toEqual(wanted.map((name) => records.find((record) => record.name === name)));
    }),
  );
});

it('a record without a name is not the one of a wanted record without a name', () => {
  expect(pairedByName([{ name: null }], { length: 1, nameAt: () => undefined })).toEqual([undefined]);
});
