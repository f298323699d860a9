import type { RoCrateEntity } from '../../core/contract/artifact.ts';
import { Failure } from './failure.ts';

/** Reads an option whose text is a JSON object. */
export function jsonObject(text: string, name: string): RoCrateEntity['metadata'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure(`${name} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RoCrateEntity['metadata'];
  throw new Failure(`${name} must be a JSON object such as {"key": "value"}, found ${text}`);
}
