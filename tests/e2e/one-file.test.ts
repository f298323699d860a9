import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

const ran = (folder: string) => readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n');

/** A job for each of these paths reads it, before the job that writes `res/o.txt` in the file. */
const flow = (paths: Readonly<Record<string, string>>) => `name: spelled
files:
  - { name: made, path: res/o.txt }
${Object.entries(paths)
  .map(([name, path]) => `  - { name: ${name}, path: '${path}' }\n`)
  .join('')}jobs:
${Object.keys(paths)
  .map((name) => `  - { name: use_${name}, input_files: [${name}], command: 'cat res/o.txt; echo ${name} >> ran' }\n`)
  .join('')}  - { name: make, output_files: [made], command: 'echo make >> ran; echo x > res/o.txt' }
`;

describe('one file in several spellings', () => {
  it('jobs that read it in any spelling run after the job that writes it, and an update for one more reader runs only that', async () => {
    const folder = temporaryFolder();
    const { url, client } = await startServer(folder);
    const run = (...words: string[]) => torc(['--url', url, 'run', 'flow.yaml', ...words], { cwd: folder });
    const paths = { dot: './res/o.txt', twice: 'res//o.txt', up: 'x/../res/o.txt', whole: join(folder, 'res/o.txt') };
    writeFileSync(join(folder, 'flow.yaml'), flow(paths));
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
    const [first, ...others] = ran(folder);
    expect([first, others.toSorted()]).toEqual(['make', Object.keys(paths).toSorted()]);
    const { items } = await client.listFiles({ query: { workflow_id: 1 } });
    expect(items.map(({ path }) => path)).toEqual(['res/o.txt', ...Object.values(paths)]);

    writeFileSync(join(folder, 'flow.yaml'), flow({ ...paths, dot: 'res/./o.txt', more: 'y/../res/o.txt' }));
    const again = await run('--update');
    expect(again.stderr).toContain('1 job added, 1 changed, 0 removed, 4 unchanged; 1 job runs.');
    expect(ran(folder).slice(5)).toEqual(['more']);
    expect((await run('--update')).stderr).toContain('Workflow 1 is what the file says; nothing changed.');
  });

  it('a path with .. after a link is another file, and a warning says that it is missing', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'elsewhere/deep'), { recursive: true });
    symlinkSync('elsewhere/deep', join(folder, 'x'));
    writeFileSync(join(folder, 'flow.yaml'), flow({ up: 'x/../res/o.txt' }));
    const { stdout, stderr } = await torc(['create', 'flow.yaml', '--dry-run'], { cwd: folder });
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('PASSED'),
      expect.stringContaining('x/../res/o.txt does not exist'),
    ]);
    expect(existsSync(join(folder, 'res'))).toBe(false);
  });

  it('records that a program posts are not joined: their jobs wait as it names them', async () => {
    const folder = temporaryFolder();
    const { client } = await startServer(folder);
    const { id } = await client.createWorkflow({ body: { name: 'posted', user: 'tester' } });
    const file = async (path: string) => (await client.createFile({ body: { workflow_id: id, name: path, path } })).id;
    const [made, wanted] = [await file('o'), await file('./o')];
    const job = { workflow_id: id, command: 'true' };
    await client.createJob({ body: { ...job, name: 'make', output_file_ids: [made as number] } });
    await client.createJob({ body: { ...job, name: 'use', input_file_ids: [wanted as number] } });
    await client.initializeJobs({ params: { id } });
    const { items } = await client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ status }) => status)).toEqual(['ready', 'ready']);
  });
});
