import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { packLogs } from './pack.ts';

afterEach(() => void vi.unstubAllEnvs());

/** An output folder with two files of a workflow, and its request. */
function place() {
  const folder = join(temporaryFolder(), 'out');
  mkdirSync(join(folder, 'job_stdio'), { recursive: true });
  for (const name of ['job_wf1_a.o', 'job_wf1_b.o']) writeFileSync(join(folder, 'job_stdio', name), 'text\n');
  const request = { task: 'pack', version: '1', workflow_id: 1, output_dir: folder, host: 'h', have: null } as const;
  return { folder, request };
}

/** Puts a `tar` in front of the real one: a shell script that may call the real one as `"$REAL_TAR" "$@"`. */
function stubTar(script: string): void {
  const bin = temporaryFolder();
  const real = execFileSync('sh', ['-c', 'command -v tar'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'tar'), `#!/bin/sh\nREAL_TAR=${real}\n${script}\n`);
  chmodSync(join(bin, 'tar'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
}

const namesIn = (path: string) => execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).trim().split('\n');

it('files that another host deletes before they are packed are left out, and the rest is packed', async () => {
  const { folder, request } = place();
  stubTar(`rm -f ${folder}/job_stdio/job_wf1_a.o\nexec "$REAL_TAR" "$@"`);
  const reply = await packLogs(request);
  expect(reply).toMatchObject({ is: 'packed', files: 1 });
  expect(namesIn((reply as { path: string }).path)).toEqual(['./job_stdio/job_wf1_b.o']);
});

it('when another host deletes all of them, there is nothing to pack', async () => {
  const { folder, request } = place();
  stubTar(`rm -rf ${folder}/job_stdio\nexec "$REAL_TAR" "$@"`);
  expect(await packLogs(request)).toMatchObject({ is: 'refused', code: 'NO_LOGS' });
  expect(readdirSync(folder)).toEqual([]);
});

it('a file to which a job writes meanwhile is packed as far as it was read', async () => {
  const { request } = place();
  stubTar('"$REAL_TAR" "$@"\necho "tar: ./job_stdio/job_wf1_a.o: file changed as we read it" >&2\nexit 1');
  const reply = await packLogs(request);
  expect(reply).toMatchObject({ is: 'packed', files: 2 });
});

it('files that cannot be packed are refused with the reason, and leave no archive', async () => {
  const { folder, request } = place();
  stubTar('echo "tar: ./job_stdio/job_wf1_a.o: Cannot open: Permission denied" >&2\nexit 2');
  const reply = await packLogs(request);
  const message = 'the logs could not be packed: tar ended with exit code 2: tar: ./job_stdio/job_wf1_a.o: Cannot open';
  expect(reply).toMatchObject({
    is: 'refused',
    code: 'PACK_FAILED',
    message: expect.stringContaining(message) as string,
  });
  // The list of what was to be packed stays: these files are not collected.
  expect(readdirSync(folder)).toEqual(['.torc_logs_1_h.tar.gz.files.json', 'job_stdio']);
});
