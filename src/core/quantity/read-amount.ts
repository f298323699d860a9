/**
 * What a text means; undefined for none, or one that cannot be read: older servers and runners, and imports, store what they
 * are given.
 */
export function readAmount<Amount>(
  text: string | null | undefined,
  parse: (text: string) => Amount,
): Amount | undefined {
  if (!text) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
