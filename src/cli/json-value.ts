import { Failure } from './failure.ts';

/** Reads an option whose text is any JSON. */
export const jsonValue =
  (name: string) =>
  (text: string): unknown => {
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new Failure(`${name} is not JSON: ${(cause as Error).message}. Text must be quoted: '"text"'`, {
        cause,
      });
    }
  };
