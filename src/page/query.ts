/** The parameters of the address of the view that is shown: those of an earlier drawing may be another's. */
export const queryNow = (): URLSearchParams => new URLSearchParams(location.hash.split('?')[1]);

/** The time that an address names, in Unix milliseconds; undefined if it names none, or none that can be read. */
export function timesIn(query: URLSearchParams): { readonly fromMs: number; readonly untilMs: number } | undefined {
  const [fromMs, untilMs] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  return fromMs < untilMs ? { fromMs, untilMs } : undefined;
}

/** Changes parameters of the address of the view that is shown; empty ones are left out. A view with several addresses names one. */
export function replaceQuery(set: Readonly<Record<string, string>>, path?: string): void {
  const next = queryNow();
  for (const [field, value] of Object.entries(set)) {
    if (value === '') next.delete(field);
    else next.set(field, value);
  }
  const hash = path === undefined ? location.hash.split('?')[0] : `#${path}`;
  location.replace(`${hash || '#/'}${next.size === 0 ? '' : '?'}${next}`);
}
