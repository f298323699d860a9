import { expect, it } from 'vitest';
import { missingCommand } from './help.ts';

it('a command that is looked for without its group is named with it, and a word that is no command is not', () => {
  expect(missingCommand(['explain', '3'])).toBe('The command is torc jobs explain JOB.');
  expect(missingCommand(['-s', 'init', '3'])).toBe('The command is torc workflows init WORKFLOW.');
  expect(missingCommand(['nosuch'])).toBeUndefined();
  expect(missingCommand(['constructor'])).toBeUndefined();
});
