/**
 * The words of a command line as a POSIX shell splits them: blanks separate, quotes and backslashes keep together.
 * Undefined if a quote is not closed. Nothing is expanded.
 */
export function shellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === "'" || char === '"') {
      const end = closingQuote(text, at);
      if (end === undefined) return undefined;
      const inner = text.slice(at + 1, end);
      word = (word ?? '') + (char === '"' ? inner.replaceAll(/\\(["\\$`])/g, '$1') : inner);
      at = end;
    } else if (char === '\\') {
      at += 1;
      if (at < text.length) word = (word ?? '') + text[at];
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}

function closingQuote(text: string, from: number): number | undefined {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return undefined;
}
