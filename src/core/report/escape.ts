/**
 * A text as text of HTML, also within a quoted attribute. Everything that a user chose goes through it.
 *
 * Control characters are shown as U+FFFD: a NUL or an escape sequence in a name is no part of any document.
 */
export const escapeHtml = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
