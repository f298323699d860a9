import { type Option, optionName, type Values } from '../option.ts';
import type { Configuration } from './schema.ts';

/** The options of a command, completed from the configuration. */
export function fill(
  given: Values,
  isGiven: (name: string) => boolean,
  options: readonly Option[],
  configuration: Configuration,
): Values {
  const values: Record<string, unknown> = { ...given };
  const taken = new Set<string>();
  for (const option of options) {
    const name = optionName(option);
    // The command's own option precedes a global one of the same name.
    if (taken.has(name)) continue;
    taken.add(name);
    if (option.setting === undefined || isGiven(name)) continue;
    const value = configuration[option.setting];
    if (value !== undefined) values[name] = value;
  }
  return values;
}
