import { Unreadable, type ParsedText } from '../../json/place.ts';
import type { Complain, Complaint } from '../problems/problems.ts';
import { readFileJson } from './json.ts';
import { readKdl } from './kdl.ts';
import { isList, isMap, type Value, type ValueMap } from './value.ts';
import { readYaml } from './yaml.ts';
import { yamlAdvice } from './yaml-advice.ts';

export type SpecFormat = 'json' | 'json5' | 'yaml' | 'kdl';

/** A workflow file's text. Problems show `name`; `-` is standard input. `format` precedes the extension. */
export interface Source {
  readonly text: string;
  readonly name: string;
  readonly format?: SpecFormat;
}

const EXTENSIONS: Readonly<Record<string, SpecFormat>> = {
  json: 'json',
  json5: 'json5',
  yaml: 'yaml',
  yml: 'yaml',
  kdl: 'kdl',
};

/** The format of a file's extension in any case; undefined for another extension or none. */
export const formatOfName = (name: string): SpecFormat | undefined =>
  EXTENSIONS[/\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];

/**
 * The value of a workflow file in any of the four formats; undefined, with a reported problem, if it is in none.
 *
 * Without a known extension, the first format that gives an object is used: JSON, JSON5, YAML, KDL. Torc accepts any
 * YAML value there, also a bare string, so it never tries KDL; ours does.
 */
export function readText(source: Source, complain: Complain): ParsedText<Value> | undefined {
  const isStdin = source.name === '-';
  if (source.text.trim() === '') {
    const what = isStdin ? 'workflow spec read from stdin is empty' : `workflow spec ${source.name} is empty`;
    complain({ code: 'EMPTY', message: what });
    return undefined;
  }
  const format = source.format ?? (isStdin ? undefined : formatOfName(source.name));
  if (format === undefined) return detect(source, complain);
  try {
    return READERS[format](source.text, complain);
  } catch (cause) {
    if (!(cause instanceof Unreadable)) throw cause;
    complain(syntax(cause, format, source.text));
    return undefined;
  }
}

type Reader = (text: string, complain: Complain) => ParsedText<Value>;

const duplicate =
  (complain: Complain) =>
  (key: string, offset: number): void =>
    complain({
      code: 'KEY_DUPLICATE',
      message: `key \`${key}\` stands twice; the last one counts`,
      offset,
      found: key,
    });

const READERS: Readonly<Record<SpecFormat, Reader>> = {
  json: (text, complain) => readFileJson(text, true, duplicate(complain)),
  json5: (text, complain) => readFileJson(text, false, duplicate(complain)),
  yaml: (text, complain) => readYaml(text, duplicate(complain)),
  kdl: (text, complain) => readKdl(text, complain),
};

function detect(source: Source, complain: Complain): ParsedText<Value> | undefined {
  const failures = new Map<SpecFormat, Unreadable>();
  let other: ParsedText<Value> | undefined;
  for (const format of ['json', 'json5', 'yaml', 'kdl'] as const) {
    const complaints: Complaint[] = [];
    try {
      const reading = READERS[format](source.text, (complaint) => complaints.push(complaint));
      if (isMap(reading.value) && !(format === 'kdl' && isByChance(reading.value, source.text))) {
        complaints.forEach(complain);
        return reading;
      }
      other ??= reading;
    } catch (cause) {
      if (!(cause instanceof Unreadable)) throw cause;
      failures.set(format, cause);
    }
  }
  if (source.name === '-') {
    const message =
      'unable to detect the format of the workflow spec read from stdin: it is no JSON, JSON5, YAML or KDL object';
    complain({ code: 'FORMAT_UNKNOWN', message, allowed: ['json', 'json5', 'yaml', 'kdl'] });
    return undefined;
  }
  // A value of the wrong kind is a better message than four syntax errors; otherwise the most likely format.
  if (other !== undefined) return other;
  const format = likeliest(source.text);
  const failure = failures.get(format);
  if (failure !== undefined) complain(syntax(failure, format, source.text));
  return undefined;
}

/** Almost any words are KDL nodes: those of a broken YAML file are none that the dialect knows. */
const isByChance = (value: ValueMap, text: string): boolean =>
  likeliest(text) !== 'kdl' &&
  Object.entries(value).every(([key, item]) => key === 'jobs' && isList(item) && item.length === 0);

function likeliest(text: string): SpecFormat {
  if (/^\s*(?:\/\/|\/\*|\{)/.test(text)) return 'json5';
  return /^[\w-]+:(?:\s|$)/m.test(text) ? 'yaml' : 'kdl';
}

function syntax({ message, offset }: Unreadable, format: SpecFormat, text: string): Complaint {
  if (offset === undefined) return { code: 'SYNTAX', message };
  const advice = format === 'yaml' ? yamlAdvice(text, offset, message) : undefined;
  return { code: 'SYNTAX', message, offset, ...(advice === undefined ? {} : { plain: `${advice} (${message})` }) };
}
