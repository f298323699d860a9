import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, until } from '../../../tests/support/programs.ts';
import { createShells } from './shell.ts';

const bench = (endAtMs?: number) => {
  const folder = temporaryFolder();
  const output = join(folder, 'output.log');
  const shells = createShells(() => endAtMs, Date.now);
  return {
    folder,
    shells,
    run: (script: string) => shells.run({ script, cwd: folder, variables: [['NAME', 'value']], output }),
    printed: () => readFileSync(output, 'utf8'),
  };
};

const ENDLESS = 'touch began; sleep 600';
const begun = (folder: string) =>
  until(
    () => existsSync(join(folder, 'began')),
    (there) => there,
    'the script to begin',
  );

describe('a script of the workflow', () => {
  it('a script runs in its folder with its variables, and both output streams are appended to its file', async () => {
    const { folder, run, printed } = bench();
    expect(await run('pwd; echo "$NAME" >&2')).toBeUndefined();
    expect(await run('cat; echo again')).toBeUndefined();
    expect(printed()).toBe(`${folder}\nvalue\nagain\n`);
  });

  it.each([
    ['exit 3', 'exit code 3'],
    ['kill -TERM $$', 'ended by SIGTERM'],
    ['./missing', 'exit code 127'],
  ])('a failing script reports its end: %s', async (script, end) => {
    expect(await bench().run(script)).toBe(end);
  });

  it('a script that cannot be started reports the reason, and nothing is thrown', async () => {
    const { folder, shells } = bench();
    const request = { script: 'true', cwd: folder, variables: [], output: join(folder, 'missing', 'output.log') };
    expect(await shells.run(request)).toContain('its output could not be written: ENOENT');
    expect(await shells.run({ ...request, output: join(folder, 'log'), cwd: join(folder, 'gone') })).toContain(
      'could not be started',
    );
  });
});

describe('scripts at the end of the runner', () => {
  it('a running script is killed with all its processes, and no other script starts', async () => {
    const { folder, shells, run } = bench();
    const end = run(`(touch began; sleep 600; touch late) & wait`);
    await begun(folder);
    expect(shells.isOver).toBe(false);
    shells.limit(0);
    expect(await end).toBe('killed: the runner ends');
    expect(shells.isOver).toBe(true);
    expect(await run('touch ran')).toBe('not run: the runner ends now');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it("a script is killed at the runner's time limit", async () => {
    const late = bench(Date.now() + 300);
    expect(await late.run(ENDLESS)).toBe('killed: the runner ends');
    expect(late.shells.isOver).toBe(true);
  });

  it('a script that ends in the remaining time is not disturbed, however far away the end is', async () => {
    const { folder, shells, run } = bench(Date.now() + 1e12);
    const end = run('touch began; until test -e go; do sleep 0.01; done');
    await begun(folder);
    shells.limit(60_000);
    await run('touch go');
    expect(await end).toBeUndefined();
  });
});
