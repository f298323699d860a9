import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { planned } from '../../../../tests/spec/reading.ts';

/** The words that bash prints of the command of the first job, a line each. */
function wordsOf(command: string, value: string): string[] {
  const plan = planned({
    name: 'quotes',
    files: [{ name: 'raw', path: 'raw.txt' }],
    jobs: [{ name: 'a_{n}', command, parameters: { n: '[1]', x: JSON.stringify([value]) }, parameter_mode: 'zip' }],
  });
  const { command: written } = plan.jobs.at(0);
  return execFileSync('bash', ['-c', written], { encoding: 'utf8' }).trimEnd().split('\n');
}

const VALUE = "it's 5 $ & more";

it.each([
  ['printf "%s\\n" "${files.input.raw} {x:q}" {x:q}', [`raw.txt ${VALUE}`, VALUE]],
  ['printf "%s\\n" "{x:q} ${files.input.raw}" {x:q}', [`${VALUE} raw.txt`, VALUE]],
  ['printf "%s\\n" {x:q} ${files.input.raw} "{x:q}"', [VALUE, 'raw.txt', VALUE]],
  ["printf '%s\\n' '${files.input.raw} {x:q}' {x:q}", [`raw.txt ${VALUE}`, VALUE]],
])('in %s a value is quoted by the quotes around it, also behind the token of a file', (command, words) => {
  expect(wordsOf(command, VALUE)).toEqual(words);
});
