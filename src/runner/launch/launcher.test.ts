import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Jobs, jobsOf, noPosix, printedInRunner } from '../../../tests/support/launching.ts';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { parseStat } from '../../cluster/host/proc.ts';
import { LaunchError, type LaunchRequest } from './launcher.ts';
import { readProcesses } from '../../../tests/support/processes.ts';

const environment = { PATH: process.env['PATH'], SHARED: 'runner', INHERITED: 'runner', GONE: undefined };
/** The kernel's limit for one argument, which ends in a NUL. */
const LONGEST_COMMAND = 128 * 1024 - 1;
const commandOf = (bytes: number) => `: ${'x'.repeat(bytes - 2)}`;
/** Ends processes that a job left, also after a failed test; usually there are none. */
const killGroup = (pid: number) => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
};

describe.each(['child_process', 'posix_spawn'] as const)('a job launched by %s', (name) => {
  let jobs: Jobs;
  beforeAll(() => {
    if (name === 'child_process' || noPosix === undefined) jobs = jobsOf(name, environment);
  });
  beforeEach(({ skip }) => {
    if (name === 'posix_spawn' && noPosix !== undefined) skip(noPosix);
  });
  afterAll(() => jobs?.launcher.close());

  describe('the end of the job', () => {
    it.each([0, 1, 7, 126, 255])('a job ends by exiting with %i', async (exitCode) => {
      expect(await jobs.run(`exit ${exitCode}`)).toMatchObject({ exitCode, signal: undefined });
    });

    it.each([1, 2, 9, 11, 13, 15])('a job ends by signal %i', async (signal) => {
      const ended = await jobs.run(`ulimit -c 0; kill -${signal} $$`);
      expect(ended).toMatchObject({ exitCode: undefined, signal });
    });

    it('a job that handles its signal ends by exiting with 143, not by the signal', async () => {
      const ended = await jobs.run('trap "exit 143" TERM; kill -TERM $$; exit 1');
      expect(ended).toMatchObject({ exitCode: 143, signal: undefined });
    });

    it('a job ends with its own process, even if other processes keep its files open', async () => {
      const { pid, ended } = jobs.launch({ script: 'sleep 600 & exit 3' });
      onTestFinished(() => killGroup(pid));
      expect(await ended).toMatchObject({ pid, exitCode: 3 });
    });

    it('a job ends while an earlier one runs, and the earlier one when its group is killed', async () => {
      const earlier = jobs.launch({ script: 'sleep 600; exit 0' });
      onTestFinished(() => killGroup(earlier.pid));
      expect(await jobs.run('exit 3')).toMatchObject({ exitCode: 3 });
      killGroup(earlier.pid);
      expect(await earlier.ended).toMatchObject({ exitCode: undefined, signal: 9 });
    });

    it('each of hundreds of jobs ends once, and leaves no zombie process', async () => {
      const before = jobs.reported.length;
      const zombies = () => readProcesses().filter((each) => each.parentPid === process.pid && each.state === 'Z');
      // Tests of closed launchers leave some in this process.
      const leftByOthers = new Set(zombies().map(({ pid }) => pid));
      const launched = Array.from({ length: 200 }, (_, index) => jobs.launch({ script: `exit ${index % 256}` }));
      const ended = await Promise.all(launched.map(({ ended: end }) => end));
      expect(ended.map(({ exitCode }) => exitCode)).toEqual(launched.map((_, index) => index % 256));
      const reported = jobs.reported.slice(before).map(({ pid }) => pid);
      expect(reported).toHaveLength(launched.length);
      expect(new Set(reported)).toEqual(new Set(launched.map(({ pid }) => pid)));
      expect(zombies().filter(({ pid }) => !leftByOthers.has(pid))).toEqual([]);
    });
  });

  describe('the output of the job', () => {
    it('a job writes each stream to its file', async () => {
      expect(await jobs.run('echo out; echo err >&2')).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
    });

    it('a job writes both streams to one file, in order, if they share it', async () => {
      const path = join(temporaryFolder(), 'log');
      await jobs.launch({ script: 'echo a; echo b >&2; echo c', stdout: path, stderr: path }).ended;
      expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\n');
    });

    it('a job replaces the output of an earlier attempt, and keeps text that others append meanwhile', async () => {
      const path = join(temporaryFolder(), 'o');
      writeFileSync(path, 'a long text of an earlier attempt\n');
      await jobs.launch({ script: 'echo a; echo other >>"$FILE"; echo b', variables: [['FILE', path]], stdout: path })
        .ended;
      expect(readFileSync(path, 'utf8')).toBe('a\nother\nb\n');
    });

    it('a job whose output would go to a named pipe is refused at once, and one whose output is a long path starts', async () => {
      const folder = temporaryFolder();
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      for (const files of [{ stdout: pipe }, { stderr: pipe }, { stdout: pipe, stderr: pipe }])
        expect(() => jobs.launch({ script: 'true', ...files })).toThrow(
          expect.objectContaining({ code: 'ENXIO', isOfJob: true }),
        );
      await jobs.launch({ script: 'echo a', stdout: join(folder, 'o') }).ended;
      expect(readFileSync(join(folder, 'o'), 'utf8')).toBe('a\n');
    });

    it.each<[string, { readonly stdout?: string; readonly stderr?: string }, string]>([
      ['neither', {}, '/dev/null\n/dev/null\n'],
      ['only standard output', { stdout: 'o' }, 'FOLDER/o\n/dev/null\n'],
      ['only standard error', { stderr: 'e' }, '/dev/null\nFOLDER/e\n'],
    ])('a job with one kept stream writes %s, and the other is discarded', async (_, files, expected) => {
      const folder = temporaryFolder();
      const kept = Object.fromEntries(Object.entries(files).map(([stream, file]) => [stream, join(folder, file)]));
      const script = `readlink /proc/$$/fd/1 /proc/$$/fd/2 >"${folder}/links"; echo x; echo y >&2`;
      await jobs.launch({ script, ...kept }).ended;
      expect(readFileSync(join(folder, 'links'), 'utf8')).toBe(expected.replace('FOLDER', folder));
    });

    it('a program that is named is started with its words unchanged, without a shell and without the variables that it must not get', async () => {
      const path = join(temporaryFolder(), 'o');
      const words = ['printenv', 'SHARED', 'INHERITED'];
      const program = { path: '/usr/bin/printenv', words };
      const both = await jobs.launch({ program, stdout: path }).ended;
      expect([both.exitCode, readFileSync(path, 'utf8')]).toEqual([0, 'runner\nrunner\n']);
      const one = await jobs.launch({ program, without: new Set(['SHARED']), stdout: path }).ended;
      expect([one.exitCode, readFileSync(path, 'utf8')]).toEqual([1, 'runner\n']);
      const named = { path: '/bin/cat', words: ['any name', '/proc/self/cmdline', `a 'b' "$c"`] };
      await jobs.launch({ program: named, stdout: path }).ended;
      expect(readFileSync(path, 'utf8')).toBe(`any name\0/proc/self/cmdline\0a 'b' "$c"\0`);
    });

    it('a program that does not exist is not started, and the error names it', () => {
      const program = { path: '/no/such/srun', words: ['srun'] };
      expect(() => jobs.launch({ program })).toThrow('srun could not be started');
    });

    it('a job whose output folder is missing is not started, and the next job is', async () => {
      const folder = temporaryFolder();
      const [there, nowhere] = [join(folder, 'o'), join(folder, 'missing', 'e')];
      const before = jobs.reported.length;
      for (const files of [{ stdout: nowhere }, { stderr: nowhere }, { stdout: there, stderr: nowhere }]) {
        const refused = expect.objectContaining({ code: 'ENOENT', isPassing: false }) as LaunchError;
        expect(() => jobs.launch({ script: `touch ${folder}/ran`, ...files })).toThrow(refused);
      }
      expect(await jobs.run('exit 5')).toMatchObject({ exitCode: 5 });
      expect(jobs.reported).toHaveLength(before + 1);
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    });
  });

  describe('the environment of the job', () => {
    it("a job has its own variables before the runner's, and the runner's other variables", async () => {
      const variables = [
        ['SHARED', 'job'],
        ['OWN', 'zwei\nZeilen = "ä"'],
        ['EMPTY', ''],
      ] as const;
      const script = 'printf "%s|" "$SHARED" "$INHERITED" "$OWN" "${EMPTY-unset}" "${GONE-unset}" "${VITEST-unset}"';
      const { stdout } = await jobs.run(script, variables);
      expect(stdout).toBe('job|runner|zwei\nZeilen = "ä"||unset|unset|');
      const given = await jobs.run('tr "\\0" "\\n" </proc/$$/environ | grep ^SHARED', variables);
      expect(given.stdout).toBe('SHARED=job\n');
    });

    it("a job has the runner's variables again after another job set them", async () => {
      await jobs.run(':', [['SHARED', 'job']]);
      expect((await jobs.run('echo $SHARED')).stdout).toBe('runner\n');
    });

    it('a job runs in bash, with empty standard input', async () => {
      const { stdout } = await jobs.run('echo $0 $#; cat; readlink /proc/$$/fd/0; exit 0');
      expect(stdout).toBe('bash 0\n/dev/null\n');
    });

    it('a job has its own process group and session', async () => {
      const { pid, stdout } = await jobs.run('read -r line </proc/$$/stat; echo "$line"');
      expect(parseStat(stdout)).toMatchObject({ pid, groupId: pid, sessionId: pid, parentPid: process.pid });
    });

    it('a job has no ignored or blocked signal, so a broken pipe ends a writing process', async () => {
      const { stdout } = await jobs.run(
        'grep -E "^Sig(Ign|Blk)" /proc/self/status; yes | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}',
      );
      expect(stdout).toBe(`SigBlk:\t${'0'.repeat(16)}\nSigIgn:\t${'0'.repeat(16)}\n${128 + 13}\n`);
    });

    it("a job has none of the runner's open files, opened by the runner or inherited", async () => {
      const script = 'ls -l /proc/$$/fd; exit 0';
      const printed = await printedInRunner('exec 9</dev/full', name, script);
      expect(printed).toContain('/dev/null');
      expect(printed).not.toContain('/dev/full');
      expect((await jobs.run('ls /proc/$$/fd; exit 0')).stdout).toBe('0\n1\n2\n');
    });
  });

  describe('the length of the command', () => {
    const refused = expect.objectContaining({ code: 'E2BIG', isPassing: false }) as LaunchError;

    it('a command of just under 128 KiB runs', async () => {
      expect(await jobs.launch({ script: commandOf(LONGEST_COMMAND) }).ended).toMatchObject({ exitCode: 0 });
    });

    it.each<[string, Partial<LaunchRequest>]>([
      ['a command of 128 KiB', { script: commandOf(LONGEST_COMMAND + 1) }],
      ['a command of 128 KiB in two-byte letters', { script: `: ${'ä'.repeat(64 * 1024)}` }],
      ['a variable of 128 KiB', { variables: [['BIG', 'x'.repeat(LONGEST_COMMAND)]] }],
      [
        'more in total than the kernel accepts',
        { variables: Array.from({ length: 64 }, (_, index) => [`BIG${index}`, 'ä'.repeat(60_000)] as const) },
      ],
    ])('%s is refused, and the next job runs', async (_, request) => {
      expect(() => jobs.launch(request)).toThrow(refused);
      expect(await jobs.run('echo $BIG$SHARED')).toMatchObject({ exitCode: 0, stdout: 'runner\n' });
    });
  });

  // The last test, because its process is not waited for.
  it('no end is reported after the launcher was closed', async () => {
    const closed = jobsOf(name, environment);
    closed.launch({ script: ':' });
    closed.launcher.close();
    await jobs.run(':');
    await jobs.run(':');
    expect(closed.reported).toEqual([]);
  });
});

it.skipIf(process.platform !== 'linux' || !isBuiltin('node:ffi'))(
  'posix_spawn works on every Linux where the runtime can call it',
  () => expect(noPosix).toBeUndefined(),
);

it.each([
  ['EAGAIN', true],
  ['ENOMEM', true],
  ['EMFILE', true],
  ['ENFILE', true],
  ['ENOENT', false],
  ['E2BIG', false],
  ['EACCES', false],
])('a launch refused with %s works later, when other processes have ended: %s', (code, isPassing) => {
  expect(new LaunchError(code, 'no').isPassing).toBe(isPassing);
});
