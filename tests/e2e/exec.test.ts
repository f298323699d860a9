import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, temporaryFolder, torc } from '../support/programs.ts';

/** `torc exec` for lists of commands and of values. */

describe('a list of names on standard input', () => {
  const names = ['a b.txt', "it's.txt", '$(touch PWNED).txt', '`touch PWNED`', '; touch PWNED', 'two\nlines', '*'];

  it('a list of names on standard input reaches the commands unchanged, name by name, and nothing in a name is carried out', async () => {
    const folder = temporaryFolder();
    for (const name of names) writeFileSync(join(folder, name), `in ${name}`);
    const { code, stderr } = await torc(['-s', 'exec', '-c', 'cat {f} > "{f}.copy"', '--param', 'f=@-'], {
      cwd: folder,
      input: names.join('\0'),
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining(': 7 jobs completed in ')]);
    for (const name of names) expect(readFileSync(join(folder, `${name}.copy`), 'utf8')).toBe(`in ${name}`);
    expect(existsSync(join(folder, 'PWNED'))).toBe(false);
    expect(stderr).not.toContain('warning');
  });

  it('the same names in a file are read by the shell where the command does not quote them, with a warning', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'list'), '$(touch ran)\n');
    const { code, stderr } = await torc(['-s', 'exec', '-c', 'echo {f}', '--param', 'f=@list'], { cwd: folder });
    expect([code, existsSync(join(folder, 'ran'))]).toEqual([0, true]);
    expect(stderr).toContain('write {f:q} instead of {f} to pass each unchanged');
  });

  it('a list of names on standard input cannot be read twice', async () => {
    const cwd = temporaryFolder();
    for (const words of [
      ['-C', '-', '--param', 'f=@-'],
      ['-c', 'x', '--param', 'f=@-', '--param', 'g=@-'],
    ]) {
      const { code, stderr } = await torc(['exec', ...words], { cwd, input: 'a\n' });
      expect([code, stderr]).toEqual([2, expect.stringContaining('standard input can be read only once')]);
    }
  });
});

it('exec without commands is refused; with -s it starts its server before, and ends it, as Torc does', async () => {
  const cwd = temporaryFolder();
  const { code, stderr } = await torc(['-s', 'exec'], { cwd });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^Started standalone torc-server on (.|\n)*no commands provided/),
  ]);
  const url = /on (http\S+)/.exec(stderr)?.[1] as string;
  await expect(fetch(url)).rejects.toThrow();
  expect((await torc(['exec'], { cwd })).stderr).toMatch(/^Error: no commands provided/);
});

it('exec of a workflow file names torc run FILE, and beside it the same with the options that were given', async () => {
  const cwd = temporaryFolder();
  const { code, stderr } = await torc(['-s', 'exec', 'flow.yaml'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('looks like a workflow spec file; to run it: torc run flow.yaml, with the options');
  expect(stderr).toContain('torc -s run flow.yaml');
  expect((await torc(['exec', 'flow.yaml'], { cwd })).stderr).toMatch(/to run it: torc run flow\.yaml\n/);
});

it('a job that fails is named after its value and shown with its command', async () => {
  const cwd = temporaryFolder();
  const { code, stderr } = await torc(['-s', 'exec', '-c', 'test {n} != 2', '--param', 'n=1:3'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /\njob2_2 \(job 2\) failed with exit code 1 after .*\n {2}the command itself ended with 1\n {2}\$ test 2 != 2\n/,
  );
});

describe('exec --keep-order', () => {
  it('exec --keep-order prints what the jobs write in the order of the list, whatever the order in which they end', async () => {
    const cwd = temporaryFolder();
    const waits = 'until [ {i} = 3 ] || [ -e $(({i} + 1)) ]; do sleep 0.05; done; touch {i}';
    const command = `${waits}; echo out {i}; echo problem {i} >&2; [ {i} != 2 ]`;
    const words = ['-s', 'exec', '--keep-order', '-j', '3', '-c', command, '--param', 'i=1:3'];
    const { code, stdout, stderr } = await torc(words, { cwd });
    expect([code, stdout]).toEqual([1, 'out 1\nout 2\nout 3\n']);
    expect(stderr).toContain('│ problem 2');
  });

  it('exec --keep-order prints the output of a job as soon as it and all before it have ended', async () => {
    const cwd = temporaryFolder();
    const command = 'echo begun {i}; until [ {i} = 1 ] || [ -e go ]; do sleep 0.05; done';
    const words = ['-s', 'exec', '-k', '-j', '2', '-c', command, '--param', 'i=1:2'];
    const run = start('torc', words, { cwd });
    await run.says('begun 1\n');
    writeFileSync(join(cwd, 'go'), '');
    expect(await run.ended).toMatchObject({ code: 0, stdout: 'begun 1\nbegun 2\n' });
  });

  it('exec --keep-order lets the jobs run on when its output has no reader any more', async () => {
    const cwd = temporaryFolder();
    const words = ['-s', 'exec', '-k', '-j', '1', '-c', 'touch ran{i}; seq 100000', '--param', 'i=1:3'];
    const run = start('torc', words, { cwd });
    run.child.stdout?.once('data', () => run.child.stdout?.destroy());
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 jobs completed')]);
    expect(existsSync(join(cwd, 'ran3'))).toBe(true);
  });

  it('exec --keep-order is refused where there would be nothing to print, or JSON is wanted', async () => {
    const cwd = temporaryFolder();
    for (const [more, words] of [
      [['--stdio', 'none'], 'which --stdio none does not keep'],
      [['-f', 'json'], 'it cannot be had as json'],
    ] as const) {
      const { code, stderr } = await torc(['-s', 'exec', '-k', '-c', 'true', ...more], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
  });
});

it('--label gives the jobs the labels of their runner, which would not take them otherwise, and without it they have none', async () => {
  const cwd = temporaryFolder();
  const exec = (...words: string[]) => torc(['-s', 'exec', '-c', 'true', ...words], { cwd });
  const labelled = await exec('--label', 'gpu,big', '--label', 'night');
  expect([labelled.code, labelled.stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
  expect((await exec()).code).toBe(0);
  const labelsOf = async (job: string) =>
    (JSON.parse((await torc(['-s', '-f', 'json', 'jobs', 'get', job], { cwd })).stdout) as { labels?: string[] })
      .labels;
  expect(await labelsOf('1')).toEqual(['big', 'gpu', 'night']);
  expect((await labelsOf('2')) ?? []).toEqual([]);
});
