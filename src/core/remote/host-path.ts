/**
 * A path on a host, as people write it here: `~/` and `$HOME/` at its beginning are the home folder there, and are written as `~/`.
 * Undefined if it has another part that a shell would replace: nothing else is replaced, and a folder named `$SCRATCH` would be made.
 */
export function hostPathOf(text: string): string | undefined {
  const path = text.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, '~');
  return /^~(?!\/|$)|\$[\w{(]|[`\n\r]/.test(path) ? undefined : path;
}

/** What is expected of such a path. */
export const HOST_PATH =
  'a path; ~/ and $HOME/ at its beginning are the home folder there, and nothing else is replaced';
