/** Why a text cannot be stored and passed on unchanged; undefined if it can. */
export function faultOfText(value: string): string | undefined {
  if (value.includes('\0')) return 'Invalid text: it contains a NUL character';
  return value.isWellFormed() ? undefined : 'Invalid text: it contains half of a surrogate pair';
}
