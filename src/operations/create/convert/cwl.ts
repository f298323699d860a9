import { Refusal } from '../../../core/contract/refusals.ts';
import type { Conversion } from '../../../convert/conversion.ts';
import { convertCwl } from '../../../convert/cwl/convert.ts';
import { besides } from '../../../convert/cwl/document.ts';
import { type Cwl, isCwlList, isCwlMap, Unsupported } from '../../../convert/cwl/value.ts';
import type { ContainerRuntime } from '../../../core/workflow-file/surroundings/runtime.ts';
import { readText } from '../../../core/workflow-file/text/read-text.ts';
import { ExactNumber, type Value } from '../../../core/workflow-file/text/value.ts';
import { readUserText } from '../read-user-text.ts';

interface Given {
  readonly path: string;
  readonly inputs: string | undefined;
  readonly runtime: ContainerRuntime | undefined;
}

/** Converts a tool or workflow of CWL and the files that it names. Throws: `CONVERSION_REFUSED`, `FILE_UNREADABLE`. */
export function convertCwlFile({ path, inputs, runtime }: Given): Conversion {
  const known = new Map<string, Cwl>();
  const read = (file: string): Cwl => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const value = imported(parsed(file), file, read);
    known.set(file, value);
    return value;
  };
  return convertCwl({ process: path, inputs, read, runtime });
}

function parsed(path: string): Cwl {
  let text: string;
  try {
    text = readUserText(path);
  } catch (cause) {
    throw new Refusal('FILE_UNREADABLE', `${path} cannot be read: ${(cause as Error).message}`, {}, { cause });
  }
  const problems: string[] = [];
  const format = path.endsWith('.json') ? 'json' : 'yaml';
  const reading = readText({ text, name: path, format }, ({ message }) => void problems.push(message));
  if (reading === undefined) throw new Refusal('CONVERSION_REFUSED', `${path}: ${problems[0] ?? 'it is no YAML'}`);
  return plain(reading.value);
}

/** JSON's kinds alone. */
function plain(value: Value): Cwl {
  if (value instanceof ExactNumber) return value.value;
  if (Array.isArray(value)) return (value as readonly Value[]).map((each) => plain(each));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  return value as Cwl;
}

/** The value with the files in place of every `$import`. */
function imported(value: Cwl, path: string, read: (file: string) => Cwl): Cwl {
  if (isCwlList(value)) return value.map((each) => imported(each, path, read));
  if (!isCwlMap(value)) return value;
  const { $import: file } = value;
  if (typeof file === 'string') return read(besides(path, file));
  if ('$include' in value || '$mixin' in value) throw new Unsupported(`$include and $mixin in ${path}`);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, imported(each, path, read)]));
}
