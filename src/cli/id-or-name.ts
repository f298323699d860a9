import { UsageError } from './failure.ts';

/** What a person wrote to say which record is meant. */
export type IdOrName = { readonly id: number } | { readonly name: string };

const NAME = 'name:';

/**
 * Reads an argument that is an id or a name.
 *
 * Digits are always an id: a script that passes ids must never meet another record because somebody chose a name of digits.
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

/** How a name is written so that it is read as one. */
export const asName = (name: string) => (/^\d+$/.test(name) || name.startsWith(NAME) ? `${NAME}${name}` : name);

const article = (thing: string) => (/^[aeiou]/i.test(thing) ? 'an' : 'a');
