import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { parseDsv } from './dsv.ts';
import type { PbsAnswer } from './programs.ts';
import { scriptIn, submitPbsScript } from './qsub.ts';

const SCRIPT = '#!/bin/bash\n#PBS -N wf1_9_1\n#PBS -l select=1:ncpus=2\n\nexec runner\n';

/** Submits a script to a qsub that answers so: the job or what was thrown, what qsub was given, and the copy of the script. */
async function submitted(answer: Partial<PbsAnswer>, environment: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const script = join(folder, 'wf1_9_1_a1.sh');
  writeFileSync(script, SCRIPT);
  let given: readonly string[] = [];
  const ask = async (_: string, args: readonly string[]) => {
    given = args;
    return { code: 0, stdout: '', stderr: '', ...answer };
  };
  const end = await submitPbsScript(ask, environment, script).catch((error: Error & { kind?: string }) => error);
  const copy = join(folder, 'pbs/wf1_9_1_a1.sh');
  return { end, given, copy, text: existsSync(copy) ? readFileSync(copy, 'utf8') : undefined };
}

describe('the submission of a script to PBS', () => {
  it('a submission gives the options of its lines to qsub, and bash as the program, which is not the child of a login shell', async () => {
    const { end, given, copy } = await submitted({ stdout: '12.pbs\n' });
    expect(end).toBe(12);
    expect(given).toEqual(['-f', '-N', 'wf1_9_1', '-l', 'select=1:ncpus=2', '--', '/bin/bash', copy]);
  });

  it('a submission keeps the variables of the user in a private copy, which a shell reads back as they were', async () => {
    const { copy, text = '' } = await submitted(
      { stdout: '12.pbs\n' },
      { A: `a 'b' "c" \\d\n$e,f`, PBS_JOBID: '3.pbs', SSH_TTY: 'x', 'BASH_FUNC_module%%': '() { echo "$1"; }' },
    );
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(text).toContain(String.raw`export A='a '\''b'\'' "c" \d` + "\n$e,f'\n");
    expect(text).toContain('module () { echo "$1"; }\nexport -f module\n');
    expect(text).toContain(`cd ${process.cwd()} || exit 1\n`);
    expect(text).not.toMatch(/PBS_JOBID|SSH_TTY/);
    expect(text.indexOf('#PBS -l')).toBeLessThan(text.indexOf('export A'));
  });

  test.each([
    [170, 'qsub: Unknown queue', 'refused', 'Unknown queue (the queues here: qstat -Q)'],
    [38, "qsub: would exceed queue generic's per-user limit", 'full', 'per-user limit'],
    [162, 'Connection refused\nqsub: cannot connect to server pbs (errno=15010)', 'away', 'cannot connect'],
    [134, 'malloc(): corrupted top size', 'refused', 'malloc'],
  ])('exit code %i, %j: %s, and no copy stays', async (code, stderr, kind, words) => {
    const { end, text } = await submitted({ code, stderr });
    expect(end).toMatchObject({ kind, message: expect.stringContaining(words) });
    expect(text).toBeUndefined();
  });

  it('where it is unclear whether there is a job, its copy stays: it may run', async () => {
    const { end, text } = await submitted({ stdout: 'welcome\n' });
    expect(end).toMatchObject({ kind: 'unclear' });
    expect(text).toBeDefined();
  });

  it('the copy is found again in what PBS keeps of the arguments, and other scripts are not', () => {
    const of = (args: string) =>
      parseDsv('job', `Job Id: 12.pbs|Submit_arguments=${args}\n`).map((record) => scriptIn(record))[0];
    expect(of('-f -N a -- /bin/bash /my out/pbs/wf1_9_1_a1.sh')).toBe('/my out/pbs/wf1_9_1_a1.sh');
    expect(of('-N a job.sh')).toBeUndefined();
  });
});
