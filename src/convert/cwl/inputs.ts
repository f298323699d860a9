import { isOf } from './command-line.ts';
import { besides, type Process } from './document.ts';
import {
  type Cwl,
  type CwlMap,
  entriesOf,
  fileAt,
  filesIn,
  isCwlFile,
  isCwlList,
  isCwlMap,
  nameIn,
  Unsupported,
} from './value.ts';

/** A value with its files found from the file in which it stands. Throws `Unsupported` for files that are written there themselves. */
export function located(value: Cwl, from: string): Cwl {
  if (isCwlList(value)) return value.map((each) => located(each, from));
  if (isCwlFile(value)) {
    const { location, path } = value;
    // A location is a URI.
    const place = typeof location === 'string' ? decodeURIComponent(location) : path;
    const kind = value['class'] === 'Directory' ? 'Directory' : 'File';
    if (typeof place !== 'string') throw new Unsupported(`a ${kind} whose content stands in ${from}`);
    const file = fileAt(besides(from, place).replace(/\/$/, ''), kind);
    if (typeof value['basename'] === 'string' && value['basename'] !== file['basename'])
      throw new Unsupported(`${place} under another name, ${value['basename']}`);
    const beside = filesIn(located(value['secondaryFiles'] ?? [], from));
    if (beside.some(({ dirname }) => dirname !== file['dirname']))
      throw new Unsupported(`secondaryFiles of ${place} in another folder`);
    return file;
  }
  if (isCwlMap(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, located(each, from)]));
  return value;
}

/** The inputs of a process: what is given, else its defaults. Throws `Unsupported` where a value is missing. */
export function withDefaults({ path, body }: Process, given: CwlMap): CwlMap {
  const inputs = entriesOf(body['inputs'], 'id', 'type').map(([name, { type = null, default: usual }]) => {
    const value = given[name] ?? (usual === undefined ? null : located(usual, path));
    if (value === null && type !== 'Any' && !isOf(type, null)) throw new Unsupported(`the input ${name} has no value`);
    if (value !== null && !isOf(type, value))
      throw new Unsupported(`the input ${name} is of type ${nameIn(type)}; found ${nameIn(value)}`);
    return [name, value] as const;
  });
  return Object.fromEntries(inputs);
}
