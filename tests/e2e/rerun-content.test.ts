import { truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

const flow = (rerun: string) => `name: contents
execution_config: { rerun: ${rerun} }
files: [{ name: raw, path: raw }, { name: out, path: out }]
jobs: [{ name: read, command: 'wc -c < raw > out', input_files: [raw], output_files: [out] }]
`;

let folder: string;
let server: RunningServer;
const at = (name: string) => join(folder, name);
const update = async () => (await torc(['--url', server.url, 'run', 'flow.yaml', '--yes'], { cwd: folder })).stderr;
let seconds = 0;
const later = () => {
  seconds += 10;
  utimesSync(at('raw'), Date.now() / 1000 + seconds, Date.now() / 1000 + seconds);
};

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(at('raw'), 'one\n');
});

describe('rerun: content', () => {
  it('a job runs again for another content of an input, of any size, and not for another time alone', async () => {
    writeFileSync(at('flow.yaml'), flow('content'));
    await update();
    later();
    expect(await update()).toContain('nothing to run: 1 up to date');
    // As long as before.
    writeFileSync(at('raw'), 'two\n');
    later();
    expect(await update()).toContain('input raw is newer than at the last run');
    expect(await update()).toContain('nothing to run');
    writeFileSync(at('raw'), 'three\n');
    expect(await update()).toContain('1 job runs again');
  });

  it('with the time as the rule, a time alone makes the job run again', async () => {
    writeFileSync(at('flow.yaml'), flow('time'));
    await update();
    later();
    expect(await update()).toContain('input raw is newer than at the last run');
  });

  it('--rerun-by sets the rule of the workflow, and a dry run shows what the other rule would run', async () => {
    writeFileSync(at('flow.yaml'), flow('time'));
    const run = async (...words: string[]) => {
      const { stdout, stderr } = await torc(['--url', server.url, 'run', ...words], { cwd: folder });
      return stdout + stderr;
    };
    await run('flow.yaml', '--rerun-by', 'content');
    const setting = async () => (await server.client.getWorkflow({ params: { id: 1 } })).execution_config?.rerun;
    expect(await setting()).toBe('content');
    later();
    expect(await run('1', '--dry-run')).toContain('No job of workflow 1 would run');
    expect(await run('1', '--dry-run', '--rerun-by', 'time')).toContain('input raw is newer');
    expect(await setting()).toBe('content');
    expect(await run('1', '--update', '--rerun-by', 'time')).toContain('1 job runs again');
    expect(await setting()).toBe('time');
    expect(await run('1', '--rerun-by', 'hash')).toMatch(/content.*time/u);
  });

  it('a file over the limit is compared by time and size', async () => {
    truncateSync(at('raw'), 2 ** 26 + 1);
    writeFileSync(at('flow.yaml'), flow('content'));
    await update();
    expect(await update()).toContain('nothing to run');
    later();
    expect(await update()).toContain('input raw is newer than at the last run');
  });

  it('a rule that does not exist is refused with those that do', async () => {
    writeFileSync(at('flow.yaml'), flow('hash'));
    expect(await update()).toMatch(/rerun.*(time|content)/su);
    expect((await server.client.listWorkflows({ query: {} })).items).toEqual([]);
  });
});
