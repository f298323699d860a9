const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text escaped for HTML, also between quotes: names of jobs may contain any character. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter] as string);
