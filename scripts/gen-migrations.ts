/** Puts migrations/*.sql into one module, so that nothing has to be found on disk at run time. */
import { readdirSync, readFileSync } from 'node:fs';
import { write } from './write-generated.ts';

const names = readdirSync('migrations')
  .filter((name) => name.endsWith('.sql'))
  .sort();

const entries = names.map((name, index) => {
  const sql = readFileSync(`migrations/${name}`, 'utf8');
  const version = Number.parseInt(name, 10);
  if (version !== index + 1) throw new Error(`migrations/${name}: expected number ${index + 1}`);
  if (!sql.startsWith('--! '))
    throw new Error(`migrations/${name}: the first line says what may stand beside it: "--! …"`);
  return `  { version: ${version}, name: ${JSON.stringify(name)}, sql: ${JSON.stringify(sql)} },`;
});

write(
  'src/server/store/migrations.gen.ts',
  `// Made by scripts/gen-migrations.ts from migrations/*.sql.\n` +
    `export const migrations: readonly { version: number; name: string; sql: string }[] = [\n${entries.join('\n')}\n];\n`,
);
