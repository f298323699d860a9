/**
 * Whether the text is the secret, in a time that does not depend on where they differ.
 *
 * Not node:crypto, which has `timingSafeEqual`: it takes 5 ms of a start to load, and the server of a single command does without.
 */
export function isSecret(text: string, secret: string): boolean {
  let differs = text.length ^ secret.length;
  for (let at = 0; at < secret.length; at += 1) differs |= text.charCodeAt(at) ^ secret.charCodeAt(at);
  return differs === 0;
}
