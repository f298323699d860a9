import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { temporaryFolder } from '../support/programs.ts';

/** What a job gets of variables that not every shell and runtime carries on. */

/** Runs a command as a job in an environment that bash prepares, and returns what it printed, as bytes. */
async function printedBy(prepare: string, command: string, launcher = ''): Promise<{ printed: Buffer; log: string }> {
  const folder = temporaryFolder();
  const script = `${prepare}\nexec torc -s exec -n test -c "$COMMAND"`;
  const env = {
    PATH: `${programFolder()}:${process.env['PATH']}`,
    HOME: folder,
    COMMAND: command,
    ...(launcher === '' ? {} : { TORC_LAUNCHER: launcher }),
  };
  const log = await new Promise<string>((done, fail) => {
    execFile('/bin/bash', ['-c', script], { cwd: folder, env }, (error, stdout, stderr) =>
      error === null ? done(stdout + stderr) : fail(new Error(stderr, { cause: error })),
    );
  });
  return { printed: readFileSync(join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o')), log };
}

describe('the environment of a job', () => {
  it('a job can call a function of bash that its user exported, also one of several lines', async () => {
    const { printed } = await printedBy('f() { echo "got $1"\n echo two; }; export -f f', 'f x');
    expect(printed.toString()).toBe('got x\ntwo\n');
  });

  it('a job gets variables with other names than those of a shell, and none of ours', async () => {
    const { printed } = await printedBy(
      'exec env "a.b=1 = 2" "c-d=x\ny" bash -c \'exec torc -s exec -n test -c "$COMMAND"\'',
      "cat /proc/self/environ | tr '\\0' '\\n' | grep -A1 -e '^a[.]b' -e '^c-d' -e '^TORC_LOST' | sort",
    );
    expect(printed.toString().split('\n')).toEqual(expect.arrayContaining(['a.b=1 = 2', 'c-d=x', 'y']));
    expect(printed.toString()).not.toContain('TORC_LOST_VARIABLES=');
  });

  it('a job gets a value that is not UTF-8 as it is', async () => {
    const { printed } = await printedBy("export ODD=$'caf\\xe9'", 'printf %s "$ODD"');
    expect(printed.toString('latin1')).toBe('café');
  });

  it('the log names a value that a launcher without bytes cannot carry on', async () => {
    const { printed, log } = await printedBy("export ODD=$'caf\\xe9' FINE=ä", 'printf %s "$ODD$FINE"', 'child_process');
    expect(printed.toString()).toBe('caf\ufffdä');
    expect(log).toMatch(/not UTF-8, and jobs get other characters in their place: ODD/);
  });
});
