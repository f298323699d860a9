import { optionsOf } from '../../option.ts';

/** Options of every converter. Apart from what writes: help and completion load the options of all commands. */
export const conversionOptions = optionsOf([
  { flags: '-o, --output <file>', says: 'workflow file to write, .yaml or .json (default: standard output)' },
  { flags: '--partial', says: 'write the workflow also if something that changes its result had to be left out' },
]);
