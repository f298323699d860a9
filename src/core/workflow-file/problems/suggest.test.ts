import { expect, test } from 'vitest';
import { suggest } from './suggest.ts';

const FIELDS = ['name', 'command', 'depends_on', 'depends_on_regexes', 'input_files', 'priority', 'env'];

test.each([
  ['dependson', 'depends_on'],
  ['depends-on', 'depends_on'],
  ['DEPENDS_ON', 'depends_on'],
  ['dpeends_on', 'depends_on'],
  ['input_file', 'input_files'],
  ['comand', 'command'],
  ['cmd', 'command'],
  ['nmae', 'name'],
  ['priorty', 'priority'],
  ['evn', 'env'],
])('"%s" probably means %s', (word, meant) => expect(suggest(word, FIELDS)).toBe(meant));

test.each(['x', 'walltime', 'zebra', '', '_'])('"%s" means none of them', (word) => {
  expect(suggest(word, FIELDS)).toBeUndefined();
});

test('an abbreviation of two words means neither', () => {
  expect(suggest('pri', ['priority', 'primary'])).toBeUndefined();
});
