/** Puts migrations/*.sql into one module, so that nothing has to be found on disk at run time. */
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { write } from './write-generated.ts';

const names = readdirSync('migrations')
  .filter((name) => name.endsWith('.sql'))
  .sort();

const db = new DatabaseSync(':memory:');
const texts: string[] = [];
/** The oldest version whose programs may use a database of the newest: that of the last migration that may not stand beside the one before. */
let oldest = 0;
const entries = names.map((name, index) => {
  const sql = readFileSync(`migrations/${name}`, 'utf8');
  const version = Number.parseInt(name, 10);
  if (version !== index + 1) throw new Error(`migrations/${name}: expected number ${index + 1}`);
  const beside = /^--! beside (\d{4}): (yes|no), \S/.exec(sql);
  if (beside === null || Number(beside[1]) !== index)
    throw new Error(
      `migrations/${name}: the first line says whether programs of the migration before it may use the tables: ` +
        `"--! beside ${String(index).padStart(4, '0')}: yes, WHY" or "…: no, WHY"; found "${sql.split('\n', 1)[0]}"`,
    );
  if (beside[2] === 'yes' && /^create (?:view|trigger)\b/im.test(sql))
    throw new Error(
      `migrations/${name}: it makes a view or a trigger, which programs that do not know it refuse; expected "no", found "yes"`,
    );
  if (beside[2] === 'no') oldest = version;
  db.exec(sql);
  texts.push(sql);
  return `  { version: ${version}, name: ${JSON.stringify(name)}, sql: ${JSON.stringify(sql)} },`;
});

interface Made {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}
const made = db.prepare('select type, lower(name) as name, sql from sqlite_schema').all() as unknown as Made[];
const tables = made.filter(({ type }) => type === 'table').map(({ name }) => name);
const statements = Object.fromEntries(
  made.filter(({ type }) => type === 'trigger' || type === 'view').map(({ name, sql }) => [name, sql]),
);

/** The rows with which a new database begins, by the statements that make them: they contain a time and a random value. */
const rows = made
  .filter(({ type, name }) => type === 'table' && !name.startsWith('sqlite_'))
  .filter(({ name }) => db.prepare(`select 1 from ${name} limit 1`).get() !== undefined)
  .map(({ name }) => {
    const found = texts.flatMap((sql) => sql.match(new RegExp(`^insert into ${name} [^;]*;`, 'gm')) ?? []);
    if (found.length !== 1)
      throw new Error(`migrations: one statement that inserts into ${name}, found ${found.length}`);
    return found[0];
  });
const RANK = ['table', 'index', 'view', 'trigger'];
const fresh = [
  ...made
    .filter(({ name, sql }) => sql !== null && !name.startsWith('sqlite_'))
    .sort((one, other) => RANK.indexOf(one.type) - RANK.indexOf(other.type))
    .map(({ sql }) => `${sql};`),
  ...rows,
].join('\n');

write(
  'src/server/store/migrations.gen.ts',
  `// Made by scripts/gen-migrations.ts from migrations/*.sql.\n` +
    `export const migrations: readonly { version: number; name: string; sql: string }[] = [\n${entries.join('\n')}\n];\n\n/** What they make: the names of the tables, in lower case, and the text of each trigger and view. */\n` +
    `export const tables: readonly string[] = ${JSON.stringify(tables.sort())};\n` +
    `export const statements: Readonly<Record<string, string>> = ${JSON.stringify(statements)};\n` +
    `/** The oldest version of the tables whose programs may use a database of this one. */\nexport const oldestBeside = ${oldest};\n` +
    `/** Makes in one step what all migrations make of an empty database. */\nexport const fresh = ${JSON.stringify(fresh)};\n`,
);
