import { type Option, optionName, type Values } from '../option.ts';

/** The options as command-line arguments, for those that have a value. */
export function runWords(options: readonly Option[], values: Values): string[] {
  return options.flatMap((option) => {
    const value = values[optionName(option)];
    const flag = /--[\w-]+/.exec(option.flags)?.[0] as string;
    // Commander stores `--no-page` as a page that is false.
    if (flag.startsWith('--no-')) return value === false ? [flag] : [];
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    return (Array.isArray(value) ? value : [value]).flatMap((each) => [flag, String(each)]);
  });
}
