/** A login that stands in a URL, and the URL without it: a password does not belong on a screen, in a script or a list of processes. */
export interface UrlLogin {
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** `http://ann:secret@h:8080/a` as `http://h:8080/a` with the user and the password. Throws for what is no URL. */
export function withoutLogin(text: string): UrlLogin {
  const url = new URL(text);
  const [user, password] = [url.username, url.password].map(decoded);
  url.username = '';
  url.password = '';
  return { url: url.href.replace(/\/+$/, ''), user: user || undefined, password: password || undefined };
}

/** For suggestions: `http://ann:***@h`. What is no URL stays as it is. */
export const maskedUrl = (text: string): string => text.replace(/^(\w+:\/\/[^/@:]*):[^/@]*@/, '$1:***@');

/** A `%` that encodes nothing is a character of the password. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
