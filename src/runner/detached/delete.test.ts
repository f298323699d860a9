import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { deleteLogsHere } from './delete.ts';
import { packLogs, removePack } from './pack.ts';

const common = { version: '1', workflow_id: 1 };
const request = (folder: string) => ({ task: 'delete', ...common, output_dir: folder }) as const;

/** An output folder with the files of jobs in folders of their own. */
function outputFolder(folders: number, filesEach: number): string {
  const folder = temporaryFolder();
  for (let number = 0; number < folders; number += 1) {
    const own = join(folder, `job_stdio/${number}/deeper`);
    mkdirSync(own, { recursive: true });
    for (let file = 0; file < filesEach; file += 1) writeFileSync(join(own, `job_wf1_j${file}.o`), 'text\n');
  }
  return folder;
}

/** Processes that call a function of this room at once, as the hosts of a workflow do; what each returned. */
async function atOnce(count: number, module: string, call: string): Promise<unknown[]> {
  const script = `import * as room from ${JSON.stringify(join(import.meta.dirname, module))};
    process.stdin.once('data', async () => { process.stdout.write(JSON.stringify(await room.${call})); process.exit(); });
    process.stderr.write('ready');`;
  const children = Array.from({ length: count }, () => spawn(process.execPath, ['--input-type=module', '-e', script]));
  await Promise.all(children.map(({ stderr }) => once(stderr, 'data')));
  const replies = children.map(async (child) => {
    let text = '';
    child.stdout.on('data', (data: Buffer) => (text += data.toString()));
    child.stderr.on('data', (data: Buffer) => (text += data.toString()));
    await once(child, 'close');
    return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
  });
  for (const child of children) child.stdin.write('go\n');
  return Promise.all(replies);
}

describe('hosts that share an output folder', () => {
  it('delete the same files at once, and each file is counted by one of them', async () => {
    for (let round = 0; round < 3; round += 1) {
      const folder = outputFolder(150, 4);
      const replies = await atOnce(4, 'delete.ts', `deleteLogsHere(${JSON.stringify(request(folder))})`);
      const deleted = { is: 'deleted', files: expect.any(Number) as number };
      expect(replies).toEqual([deleted, deleted, deleted, deleted]);
      const sum = (replies as { files: number }[]).reduce((total, { files }) => total + files, 0);
      expect([sum, readdirSync(folder)]).toEqual([600, []]);
    }
  });
});

it('files of other workflows, results that the server may lack and files that changed since they were collected stay', async () => {
  const folder = outputFolder(1, 3);
  const kept = ['job_stdio/job_wf2_j1.o', 'ledgers/wf1_r1_x.ledger', 'offline_results_wf1_x.json', 'job_wf1_later.o'];
  const write = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'text\n');
  };
  for (const path of kept.slice(0, 3)) write(path);
  await packLogs({ ...request(folder), task: 'pack', host: 'h1', have: null });
  write('job_wf1_later.o');
  const grown = 'job_stdio/0/deeper/job_wf1_j0.o';
  appendFileSync(join(folder, grown), 'more\n');
  // As old as when it was packed: the clock of a file server may be behind.
  const { atime, mtime } = statSync(join(folder, 'job_stdio/0/deeper/job_wf1_j1.o'));
  utimesSync(join(folder, grown), atime, mtime);
  expect(deleteLogsHere({ ...request(folder), packed_for: 'h1' })).toEqual({ is: 'deleted', files: 2 });
  expect([...kept, grown].filter((path) => !existsSync(join(folder, path)))).toEqual([]);
});

it('logs whose collection began and did not end are not deleted, unless that is asked for, or they are collected again', async () => {
  const folder = outputFolder(1, 2);
  const pack = { ...request(folder), task: 'pack', host: 'h1:2222', have: null } as const;
  await packLogs(pack);
  const refused = { is: 'refused', code: 'NOT_COLLECTED', message: expect.stringContaining('--uncollected') as string };
  expect(deleteLogsHere(request(folder))).toEqual(refused);
  expect(deleteLogsHere({ ...request(folder), workflow_id: 2 })).toEqual({ is: 'deleted', files: 0 });
  removePack({ ...pack, task: 'unpack' });
  await packLogs(pack);
  expect(deleteLogsHere(request(folder))).toEqual(refused);
  removePack({ ...pack, task: 'unpack' });
  await packLogs(pack);
  expect(deleteLogsHere({ ...request(folder), uncollected: true })).toEqual({ is: 'deleted', files: 2 });
  expect(readdirSync(folder)).toEqual([]);
});

it('logs that could not be packed are not deleted as if they were collected', async () => {
  const folder = outputFolder(1, 2);
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await packLogs({ ...request(folder), task: 'pack', host: 'h1', have: null })).toMatchObject({
    code: 'PACK_FAILED',
  });
  expect(deleteLogsHere(request(folder))).toMatchObject({ code: 'NOT_COLLECTED' });
});
