import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

/** `--quiet`: results on standard output, warnings and errors on standard error, and nothing else. */

function place(...commands: string[]) {
  const cwd = temporaryFolder();
  const jobs = commands.map((command, at) => ({ name: `job${at}`, command }));
  writeFileSync(join(cwd, 'flow.json'), JSON.stringify({ name: 'flow', jobs }));
  return (...words: string[]) => torc(words, { cwd });
}

describe('--quiet', () => {
  it('a run in which all jobs succeed prints nothing with --quiet, before or after the command, and its counts without', async () => {
    const call = place('true');
    expect(await call('-s', '--quiet', 'run', 'flow.json')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await call('-s', 'run', 'flow.json', '--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect((await call('-s', 'run', 'flow.json')).stderr).toContain('Started standalone torc-server');
  });

  it('a run with a failed job names it, with its output, and gives no hint', async () => {
    const call = place('echo because >&2; exit 3');
    const { stderr } = await call('-s', '--quiet', 'run', 'flow.json');
    expect(stderr).toContain('1 failed');
    expect(stderr).toContain('job0 (job 1)');
    expect(stderr).toContain('because');
    expect(stderr).not.toMatch(/Started standalone|torc -s|Exit code 0/);
  });

  it('results stay: a list is the same, and so is JSON', async () => {
    const call = place('true');
    await call('-s', '--quiet', 'create', 'flow.json');
    const loud = await call('-s', '-f', 'json', 'jobs', 'list', '1');
    const quiet = await call('-s', '--quiet', '-f', 'json', 'jobs', 'list', '1');
    expect([quiet.stdout, quiet.stderr]).toEqual([loud.stdout, '']);
  });

  it('an error keeps its remedy', async () => {
    const call = place('true');
    const { code, stderr } = await call('--quiet', '--url', 'http://127.0.0.1:1/torc-service/v1', 'ping');
    expect(code).toBe(1);
    expect(stderr).toContain('Is the server running');
  });
});
