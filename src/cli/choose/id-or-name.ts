import { UsageError } from '../command/failure.ts';

/** The user's text for a record. */
export type IdOrName = { readonly id: number } | { readonly name: string };

const NAME = 'name:';

/**
 * Reads an argument that is an id or a name.
 *
 * Digits are always an id: a script that passes ids must never get another record because a name consists of digits.
 * Such a name is written `name:7`; so is a name that begins with `name:`.
 */
export function idOrName(thing: string, given: unknown): IdOrName {
  const text = String(given);
  if (text.startsWith(NAME)) return { name: text.slice(NAME.length) };
  if (/^\d+$/.test(text.trim())) return { id: idOf(thing, given) };
  if (text.trim() === '') throw new UsageError(`${article(thing)} ${thing} is needed: its id or its name; found ""`);
  return { name: text };
}

/** The id of a record: a whole number of 1 or more. */
export function idOf(thing: string, given: unknown): number {
  const id = Number(given);
  if (!Number.isSafeInteger(id) || id < 1)
    throw new UsageError(`not ${article(thing)} ${thing} id: "${String(given)}"; expected a whole number`);
  return id;
}

/** The form of a name that is read as a name. */
export const asName = (name: string) => (/^\d+$/.test(name) || name.startsWith(NAME) ? `${NAME}${name}` : name);

const article = (thing: string) => (/^[aeiou]/i.test(thing) ? 'an' : 'a');
