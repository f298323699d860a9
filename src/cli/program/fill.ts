import { type Option, optionName, type Values } from '../command/option.ts';
import type { Configuration, Path } from '../config/schema.ts';

/**
 * The options of a command, completed from the configuration.
 *
 * Those of `lazy` are left out: few commands use all of them, and reading a key of a file that is not trusted ends the command.
 */
export function fill(
  given: Values,
  isGiven: (name: string) => boolean,
  options: readonly Option[],
  configuration: Configuration,
  lazy: ReadonlySet<Path> = new Set(),
): Values {
  const values: Record<string, unknown> = { ...given };
  const taken = new Set<string>();
  for (const option of options) {
    const name = optionName(option);
    // The command's own option precedes a global one of the same name.
    if (taken.has(name)) continue;
    taken.add(name);
    if (option.setting === undefined || isGiven(name)) continue;
    const value = lazy.has(option.setting) ? undefined : configuration[option.setting];
    if (value !== undefined) values[name] = value;
    // What the parser put there is the default.
    else if (lazy.has(option.setting)) delete values[name];
  }
  return values;
}
