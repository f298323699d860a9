import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nastyPlace, OK } from '../../support/nasty.ts';

/** Jobs that do what they like with their output: the runner goes on, and the result says what happened. */

const outputOf = (folder: string, job: number, end: string) =>
  join(folder, `out/job_stdio/job_wf1_j${job}_r1_a1.${end}`);

describe('a job that', () => {
  it('a job that closes its output ends as it says', async () => {
    const { run } = await nastyPlace();
    const { code, ends } = await run(`
  - {name: closes, command: 'exec >&- 2>&- <&-; exit 3'}
  - {name: after, command: echo here, depends_on: [closes], cancel_on_blocking_job_failure: false}
`);
    expect([code, ends]).toEqual([0, { closes: ['failed', 3], after: OK }]);
  });

  it('a job that prints NULs, half letters and words for a terminal leaves them in its file, and a person sees none of them', async () => {
    const { run, folder } = await nastyPlace();
    const bytes = String.raw`\0\377\300\033[2Jx\r\007`;
    const { ends, stderr } = await run(`
  - name: rude
    command: |
      printf '${bytes}'; printf '${bytes}' >&2; exit 4
`);
    expect(ends).toEqual({ rude: ['failed', 4] });
    for (const end of ['o', 'e'])
      expect(readFileSync(outputOf(folder, 1, end)).subarray(0, 4)).toEqual(Buffer.from([0, 0xff, 0xc0, 0x1b]));
    expect(stderr).toContain('rude (job 1) failed with exit code 4');
    for (const forbidden of ['\0', '\u001B[2J', '\r', '\u0007']) expect(stderr).not.toContain(forbidden);
  });

  it('a job that prints more than its files may hold is ended by the signal for that, and no other job is', async () => {
    const { run, folder, server } = await nastyPlace();
    const { code, ends } = await run(
      `
  - {name: endless, command: exec yes}
  - {name: modest, command: echo fine}
`,
      { ulimit: '-f 512' },
    );
    expect([code, ends]).toEqual([0, { endless: ['failed', 128 + 25], modest: OK }]);
    expect(statSync(outputOf(folder, 1, 'o')).size).toBe(512 * 1024);
    expect((await server.client.getWorkflowStatus({ params: { id: 1 } })).is_complete).toBe(true);
  });

  it('a job that prints more than anybody reads costs the runner no memory and no time', async () => {
    const { run, folder } = await nastyPlace();
    const { ends } = await run(`  - {name: chatty, command: 'head -c 64M /dev/zero'}\n`);
    expect(ends).toEqual({ chatty: OK });
    expect(statSync(outputOf(folder, 1, 'o')).size).toBe(64 * 2 ** 20);
  });

  it('a job that takes the output folder away takes it from itself only: the next one has it again', async () => {
    const { run, folder } = await nastyPlace();
    const { code, ends } = await run(
      `
  - {name: vandal, command: 'rm -rf "$TORC_OUTPUT_DIR"; echo lost'}
  - {name: after, command: echo here, depends_on: [vandal]}
`,
      { args: ['--num-cpus', '1'] },
    );
    expect([code, ends]).toEqual([0, { vandal: OK, after: OK }]);
    expect(existsSync(outputOf(folder, 1, 'o'))).toBe(false);
    expect(readFileSync(outputOf(folder, 2, 'o'), 'utf8')).toBe('here\n');
  });

  it('a job that puts a file where the output folder was stops the runner from starting jobs, which says so and gives them back', async () => {
    const { run, server } = await nastyPlace();
    const { code, ends, stderr } = await run(
      `
  - {name: vandal, command: 'rm -rf "$TORC_OUTPUT_DIR"; touch "$TORC_OUTPUT_DIR"'}
  - {name: after, command: echo here, depends_on: [vandal]}
`,
      { args: ['--num-cpus', '1'] },
    );
    expect([code, ends]).toEqual([1, { vandal: OK }]);
    expect(stderr).toMatch(/jobs cannot be started here.*job 2 \(after\) could not be started: .*(ENOTDIR|EEXIST)/);
    const { items } = await server.client.listJobs({ query: { workflow_id: 1, name: 'after' } });
    expect(items.map(({ status }) => status)).toEqual(['ready']);
  });

  it('a job that has a name of four thousand letters runs, and is shown with a part of it where a line must be read', async () => {
    const { run, folder } = await nastyPlace();
    const name = 'n'.repeat(4096);
    const { code, ends } = await run(`  - {name: ${name}, command: 'echo \${#TORC_JOB_NAME}'}\n`);
    expect([code, ends]).toEqual([0, { [name]: OK }]);
    expect(readFileSync(outputOf(folder, 1, 'o'), 'utf8')).toBe('4096\n');
  });
});
