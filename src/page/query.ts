/** Changes one parameter of the address of a view; an empty one is left out. */
export function replaceQuery(path: string, query: URLSearchParams, field: string, value: string): void {
  const next = new URLSearchParams(query);
  if (value === '') next.delete(field);
  else next.set(field, value);
  location.replace(next.size === 0 ? `#${path}` : `#${path}?${next}`);
}
