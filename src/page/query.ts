/** The parameters of the address of the view that is shown: those of an earlier drawing may be another's. */
export const queryNow = (): URLSearchParams => new URLSearchParams(location.hash.split('?')[1]);

/** Changes parameters of the address of the view that is shown; empty ones are left out. */
export function replaceQuery(set: Readonly<Record<string, string>>): void {
  const next = queryNow();
  for (const [field, value] of Object.entries(set)) {
    if (value === '') next.delete(field);
    else next.set(field, value);
  }
  const [path] = location.hash.split('?');
  location.replace(`${path || '#/'}${next.size === 0 ? '' : '?'}${next}`);
}
