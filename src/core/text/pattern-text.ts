/** A text as a part of a regular expression that finds just this text. */
export const patternText = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
