/** A text with `#` for each number: names and messages that differ only in numbers become the same text. */
export const withoutNumbers = (text: string): string => text.replaceAll(/\d+(?:\.\d+)?/g, '#');
