const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML shows it, also between quotes: names of jobs are whatever people write. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter] as string);
