import { Refusal } from '../../../core/contract/refusals.ts';

/** A setting of a configuration file, with the line on which it stands. */
export interface IniSetting {
  readonly value: string;
  readonly line: number;
}

/** Settings by section and name. */
export type Ini = ReadonlyMap<string, ReadonlyMap<string, IniSetting>>;

/**
 * Reads a configuration file of Sonar: `[section]`, `name = value`, comments on lines of their own. A value may stand in
 * one of `'`, `"` and a backquote; an empty one must.
 *
 * Throws: `CONFIGURATION_REFUSED` with the line.
 */
export function parseIni(text: string, path: string): Ini {
  const sections = new Map<string, Map<string, IniSetting>>();
  let section: Map<string, IniSetting> | undefined;
  text.split('\n').forEach((raw, index) => {
    const line = index + 1;
    const refuse = (words: string): never => {
      throw configurationRefused(path, line, words);
    };
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) return;
    const heading = /^\[\s*([\w-]+)\s*\]$/.exec(content)?.[1];
    if (heading !== undefined) {
      section = sections.get(heading) ?? new Map<string, IniSetting>();
      sections.set(heading, section);
      return;
    }
    const [, name = '', given = ''] = /^([\w-]+)\s*=\s*(.*)$/.exec(content) ?? [];
    if (name === '') refuse(`expected [section] or name = value, found "${content}"`);
    if (section === undefined) return refuse(`"${name}" stands before the first [section]`);
    if (given === '') refuse(`${name} has no value; write "" for an empty one`);
    if (section.has(name)) refuse(`${name} is given twice in this section`);
    section.set(name, { value: /^(['"`])(.*)\1$/.exec(given)?.[2] ?? given, line });
  });
  return sections;
}

export const configurationRefused = (path: string, line: number | undefined, words: string): Refusal =>
  new Refusal('CONFIGURATION_REFUSED', `${path}${line === undefined ? '' : `, line ${line}`}: ${words}`, {
    path,
    line,
  });
