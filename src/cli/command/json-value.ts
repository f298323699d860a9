import type { RoCrateEntity } from '../../core/contract/artifact.ts';
import { Failure } from './failure.ts';

type Json = RoCrateEntity['metadata'][string];

/** Reads an option whose text is any JSON. */
export function jsonValue(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new Failure(`${name} is not JSON: ${(cause as Error).message}. Text must be quoted: '"text"'`, { cause });
  }
}
