import { Refusal } from '../../core/contract/refusals.ts';

/** What a statement may do. */
export interface Allowed {
  readonly write: boolean;
  /** Allows UPDATE and DELETE without WHERE. */
  readonly fullTable: boolean;
}

const READS = ['SELECT', 'WITH', 'VALUES', 'EXPLAIN'];
const WRITES = ['INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'WITH', 'CREATE'];
const DEFINITIONS = ['DROP', 'ALTER', 'TRUNCATE', 'REINDEX', 'VACUUM', 'ANALYZE'];

/**
 * Checks the text of a statement before the database gets it: it must be a single statement of an allowed kind.
 * `guard.ts` decides what it may do with which table.
 *
 * @throws {Refusal} SQL_REFUSED for none, for several, and for one that is not allowed here.
 */
export function checkStatement(sql: string, { write, fullTable }: Allowed): void {
  const words = wordsOf(sql);
  while (words.at(-1)?.text === ';') words.pop();
  if (words.length === 0) refuse('SQL statement is empty');
  if (words.some(({ text }) => text === ';')) refuse('Only a single SQL statement is allowed');
  const first = (words[0] as Word).text;
  if (!write) {
    if (READS.includes(first)) return;
    refuse(`expected ${READS.join(', ')}, found ${first}; a statement that changes rows needs write=true`);
  }
  if (DEFINITIONS.includes(first)) refuse(`${first} (DDL) statements are not allowed`);
  if (!WRITES.includes(first)) refuse(`${first} statements are not allowed; expected ${WRITES.join(', ')}`);
  if (words.some(({ text }, index) => text === 'OR' && words[index + 1]?.text === 'ROLLBACK'))
    refuse('OR ROLLBACK is not allowed: it would roll back writes of other requests');
  // The statement's own keywords, including its own WHERE: the WHERE of a subquery in parentheses does not limit it.
  const outer = words.filter(({ depth }) => depth === 0).map(({ text }) => text);
  const verb = outer.find((text) => ['INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'SELECT'].includes(text));
  if ((verb === 'UPDATE' || verb === 'DELETE') && !outer.includes('WHERE') && !fullTable) {
    refuse('Refusing to run an UPDATE/DELETE with no WHERE clause. Pass allow_full_table=true to override.');
  }
}

const refuse = (words: string): never => {
  throw new Refusal('SQL_REFUSED', words, { error: 'InvalidStatement' });
};

interface Word {
  readonly text: string;
  /** The number of open parentheses around it. */
  readonly depth: number;
}

/** The keywords of a statement in capitals and its semicolons, without quoted names, strings and comments. */
function wordsOf(sql: string): Word[] {
  const words: Word[] = [];
  let depth = 0;
  const pieces = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|([A-Za-z_]\w*)|[;()]|\S/g;
  for (const [piece, bare] of sql.matchAll(pieces)) {
    if (/^(--|\/\*|')/.test(piece)) continue;
    if (piece === '(') depth += 1;
    else if (piece === ')') depth -= 1;
    else if (piece === ';' || bare !== undefined) words.push({ text: piece.toUpperCase(), depth });
    // A quoted name is never a keyword.
    else if (words.length === 0) words.push({ text: piece, depth });
  }
  return words;
}
