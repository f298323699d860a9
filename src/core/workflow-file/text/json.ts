import type { ParsedText } from '../../json/place.ts';
import { readJson } from '../../json/read-json.ts';
import { numberOf, type Value } from './value.ts';

/** A workflow is never nested deeper, in any format. */
export const DEEPEST = 500;

/** JSON or JSON5 with a workflow file's numbers. */
export const readFileJson = (
  text: string,
  isStrict: boolean,
  onDuplicate: (key: string, at: number) => void,
): ParsedText<Value> => readJson(text, { isJson5: !isStrict, greatestDepth: DEEPEST, numberOf, onDuplicate });

/** Strict JSON within a file of another format. */
export const strictJson = (text: string): Value => readFileJson(text, true, () => {}).value;
