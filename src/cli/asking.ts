import type { Context } from './context.ts';
import type { Option, Values } from './option.ts';

export const noPrompts: Option = { flags: '--no-prompts', says: 'do not ask' };

/** Is the person to be asked first? Not with `--no-prompts`, and not where a program reads the answer. */
export const isAsking = ({ output }: Context, options: Values): boolean =>
  // What commander makes of an option that begins with "no".
  options['prompts'] !== false && output.format !== 'json';
