/**
 * Keeps what a release leaves on disk, for the tests of all later ones: `node scripts/keep-release.ts` writes
 * tests/release/kept/VERSION.tar.gz with the database of a server, the output folder of a runner and its ledger, of a workflow in whose middle
 * both were killed. `npm run release` calls it; what is there already is replaced.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { VERSION } from '../src/core/contract/version.ts';
import { type ArchivedFile, tarOf, writeArchive } from './artefacts/archive.ts';

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'torc-keep-'));
const env = {
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: folder,
  USER: 'ada',
  TMPDIR: folder,
};
const start = (program: string, ...words: string[]) =>
  spawn(join(root, 'bin', program), words, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
const kill = ({ pid }: { readonly pid?: number | undefined }) => process.kill(-(pid as number), 'SIGKILL');

/** The ledger of the killed runner has two ends; one job runs, and one waits for it. */
const FLOW = {
  name: 'kept',
  jobs: [
    { name: 'done', command: 'echo 42 | tee done.txt', output_files: ['answer'] },
    { name: 'failed', command: 'echo "no input" >&2; exit 3' },
    { name: 'long', command: 'echo $$ > pid; exec sleep 600', depends_on: ['done'] },
    { name: 'after', command: 'true', depends_on: ['long'] },
  ],
  files: [{ name: 'answer', path: 'done.txt' }],
};

try {
  writeFileSync(join(folder, 'kept.json'), JSON.stringify(FLOW));
  const server = start('torc-server', 'run', '--port', '0', '--database', 'torc.db');
  const port = await new Promise<string>((done) =>
    server.stdout.on('data', (part: Buffer) => {
      const found = /TORC_SERVER_PORT=(\d+)/.exec(String(part))?.[1];
      if (found !== undefined) done(found);
    }),
  );
  const url = `http://localhost:${port}/torc-service/v1`;
  const runner = start('torc', '--url', url, 'run', 'kept.json');
  const ended = async () => {
    const reply = await fetch(`${url}/results?workflow_id=1`).catch(() => undefined);
    return reply?.ok === true ? ((await reply.json()) as { items: unknown[] }).items.length : 0;
  };
  while ((await ended()) < 2 || !existsSync(join(folder, 'pid'))) await wait(50);
  kill(runner);
  kill(server);
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');

  const files = new Map<string, ArchivedFile>();
  for (const path of ['torc.db', 'torc.db-wal', 'torc_output'].flatMap(filesAt))
    files.set(path, { content: readFileSync(join(folder, path)) });
  const target = join(root, 'tests/release/kept', `${VERSION}.tar.gz`);
  mkdirSync(dirname(target), { recursive: true });
  const { sizeBytes } = await writeArchive(tarOf(files, VERSION, 0), target, 'tar.gz');
  process.stdout.write(`${target}: ${files.size} files, ${sizeBytes} bytes\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function filesAt(path: string): string[] {
  const at = join(folder, path);
  if (!existsSync(at)) return [];
  return statSync(at).isDirectory() ? readdirSync(at).flatMap((name) => filesAt(join(path, name))) : [path];
}
