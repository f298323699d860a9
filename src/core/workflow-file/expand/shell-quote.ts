/**
 * Values inside a shell command. How a value is written as a part of one word depends on where it stands: between words it
 * is put into single quotes, within double quotes the characters that bash interprets there get a backslash, and within
 * single quotes a single quote is closed and opened again.
 */
export interface QuoteContext {
  readonly quotes: 'none' | 'double' | 'single' | 'ansi' | 'comment';
  /** Backquotes remove one level of backslashes before the command within them is read. */
  readonly inBackquotes: boolean;
}

/** Nothing in such a word has a meaning for a shell, also as the first word of a command. */
const PLAIN_WORD = /^[\w@%+:,./-]+$/;

/** The value as bash reads it back, unchanged and as a part of one word. */
export function shellQuoted(value: string, { quotes, inBackquotes }: QuoteContext): string {
  const text = quotedWithin(value, quotes);
  return inBackquotes ? text.replaceAll(/[\\$`]/g, '\\$&') : text;
}

function quotedWithin(value: string, quotes: QuoteContext['quotes']): string {
  switch (quotes) {
    case 'none':
      return PLAIN_WORD.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
    case 'double':
      return value.replaceAll(/[\\$"`]/g, '\\$&');
    case 'single':
      return value.replaceAll("'", `'\\''`);
    case 'ansi':
      return value.replaceAll(/[\\']/g, '\\$&');
    // A line break would end the comment, and what follows it would be carried out.
    case 'comment':
      return value.replaceAll(/[\r\n]+/g, ' ');
  }
}

/** Characters with which a value stops being one word, or with which bash carries out a part of it. */
const ACTIVE: Readonly<Record<QuoteContext['quotes'], RegExp>> = {
  none: /[\s$`"'\\|&;<>()*?[\]]|^[~#]|\{[^}]*(?:,|\.\.)[^}]*\}|^$/,
  double: /[\\$"`]/,
  single: /'/,
  ansi: /[\\']/,
  comment: /\n/,
};

/** Does bash read the value as something else than itself when it stands there as it is? */
export const isActive = (value: string, { quotes }: QuoteContext): boolean => ACTIVE[quotes].test(value);

/**
 * What encloses each of these places (ascending) of a command: quotes nest through `$(…)` and backquotes. Here-documents are
 * not followed: a place in one counts as what stands around it.
 */
export function quoteContexts(command: string, places: readonly number[]): QuoteContext[] {
  const enclosing: Enclosing[] = [];
  const found: QuoteContext[] = [];
  let at = 0;
  for (const place of places) {
    while (at < place) at = step(command, at, enclosing);
    const top = enclosing.at(-1);
    found.push({
      quotes: top === undefined || isGroup(top) ? 'none' : top,
      inBackquotes: enclosing.includes('backquotes'),
    });
  }
  return found;
}

type Group = 'parentheses' | 'backquotes';
type Enclosing = Exclude<QuoteContext['quotes'], 'none'> | Group;

const isGroup = (enclosing: Enclosing): enclosing is Group => enclosing === 'parentheses' || enclosing === 'backquotes';

/** Reads what begins at `at`, and answers where the next thing begins. */
function step(command: string, at: number, enclosing: Enclosing[]): number {
  const top = enclosing.at(-1);
  const letter = command[at] as string;
  const two = command.slice(at, at + 2);
  const within = (opened: Enclosing, length: number) => {
    enclosing.push(opened);
    return at + length;
  };
  if (top === 'single' || top === 'comment') {
    if (letter === (top === 'single' ? "'" : '\n')) enclosing.pop();
    return at + 1;
  }
  if (letter === '\\') return at + 2;
  if (top === 'ansi') {
    if (letter === "'") enclosing.pop();
    return at + 1;
  }
  if (two === '$(') return within('parentheses', 2);
  if (letter === '`' && top === 'backquotes') enclosing.pop();
  else if (letter === '`') return within('backquotes', 1);
  else if (letter === '"' && top === 'double') enclosing.pop();
  else if (letter === '"') return within('double', 1);
  else if (top === 'double') return at + 1;
  else if (two === "$'") return within('ansi', 2);
  else if (letter === "'") return within('single', 1);
  else if (letter === '(') return within('parentheses', 1);
  else if (letter === ')' && top === 'parentheses') enclosing.pop();
  // An apostrophe in a comment opens nothing.
  else if (letter === '#' && /^[\s;&|()]?$/.test(command[at - 1] ?? '')) return within('comment', 1);
  return at + 1;
}
