/** An address for messages: passwords appear in none. */
export function postgresAddressOf(url: string): string {
  return url
    .replace(/^(\w+:\/\/)(?:([^:@/]*)(?::[^@/]*)?@)?/, (_whole, scheme: string, user?: string) =>
      user === undefined || user === '' ? scheme : `${scheme}${user}@`,
    )
    .replaceAll(/([?&]password=)[^&]*/gi, '$1…');
}

export const isPostgresUrl = (store: string): boolean => /^postgres(?:ql)?:\/\//i.test(store);
