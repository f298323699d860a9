/** Every measurement but the longest ones, one after another: `npm run bench`, or `npm run bench -- chain claims` for some. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const all = [
  'start-up',
  'many-jobs',
  'chain',
  'claims',
  'plain-routes',
  'api',
  'monitor',
  'expand',
  'update',
  'look',
  'stalls',
  'unread-replies',
  'page',
  'page-browser',
  'remote',
  'recover',
  'slurm',
  'pbs',
  'allocations',
  'sonar',
  'sonar-sample',
  'sonar-programs',
  'sonar-postgres',
];
/** Run only by their names: they take half an hour and more. */
const longest = ['growth', 'night'];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => ![...all, ...longest].includes(name));
if (unknown.length > 0) {
  console.error(`no measurement ${unknown.join(', ')}; there are ${[...all, ...longest].join(', ')}`);
  process.exit(2);
}
for (const name of asked.length === 0 ? all : asked) {
  console.log(`\n== ${name}`);
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exit(code ?? 1);
}
