import { Refusal } from '../../core/contract/refusals.ts';

/** A person of a research object. */
export interface Person {
  readonly name: string;
  /** `https://orcid.org/0000-0002-1825-0097`. */
  readonly orcid?: string;
}

/**
 * A name with an ORCID iD behind it, or without: `Ada Lovelace 0000-0002-1825-0097`, or with the whole address.
 *
 * Throws `PARAMETER_REFUSED` for an iD whose check digit is wrong. Source: ISO 7064, MOD 11-2.
 */
export function personOf(text: string): Person {
  const [, name = '', id] =
    /^(.*?)[\s,<(]*(?:https?:\/\/orcid\.org\/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])[>)]?\s*$/.exec(text) ?? [];
  if (id === undefined) return { name: text.trim() };
  const [last = '', ...rest] = id.replaceAll('-', '').split('').reverse();
  const sum = rest.reverse().reduce((total, digit) => (total + Number(digit)) * 2, 0);
  const check = (12 - (sum % 11)) % 11;
  if ((check === 10 ? 'X' : String(check)) !== last)
    throw new Refusal('PARAMETER_REFUSED', `${id} is no ORCID iD: its last digit does not fit the others`, {
      found: text,
    });
  return { name: name.trim() || id, orcid: `https://orcid.org/${id}` };
}
