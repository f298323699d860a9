import { Failure } from './failure.ts';

/** The JSON that an option was given, or standard input when it was given `-`. */
export async function jsonArgument(flag: string, given: unknown): Promise<unknown> {
  if (given !== '-') return jsonOf(flag)(String(given));
  const { text } = await import('node:stream/consumers');
  return jsonOf(`${flag} -`)(await text(process.stdin));
}

/** Reads the text of an option as JSON. */
export const jsonOf =
  (flag: string) =>
  (text: string): unknown => {
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new Failure(`${flag} is not JSON: ${(cause as Error).message}. Text needs quotes of its own: '"text"'`, {
        cause,
      });
    }
  };
