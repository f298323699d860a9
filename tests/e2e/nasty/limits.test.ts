import { describe, expect, it } from 'vitest';
import { nastyPlace, OK } from '../../support/nasty.ts';

/** A runner that may have next to nothing. */

describe.each(['posix_spawn', 'child_process'])('with jobs launched by %s', (launcher) => {
  it('64 open files are enough for forty jobs at a time, and two hundred in all', async () => {
    const { run } = await nastyPlace();
    const { code, ends } = await run(
      `  - {name: "j{i}", parameters: {i: "1:200"}, command: 'echo {i}; sleep 0.02'}\n`,
      { ulimit: '-n 64', args: ['--num-cpus', '40'], environment: { TORC_LAUNCHER: launcher } },
    );
    expect(code).toBe(0);
    expect(Object.values(ends).filter(([status]) => status === 'completed')).toHaveLength(200);
  });
});

it('a job that needs more open files than it may have fails by itself', async () => {
  const { run } = await nastyPlace();
  const { ends } = await run(
    `
  - {name: greedy, command: 'for fd in $(seq 10 100); do eval "exec $fd</dev/null" || exit 9; done'}
  - {name: other, command: "true"}
`,
    { ulimit: '-n 64' },
  );
  expect(ends).toEqual({ greedy: ['failed', expect.any(Number)], other: OK });
  expect(ends['greedy']?.[1]).not.toBe(0);
});

it('a job whose command is larger than the system takes fails with the code for that, and the next runs', async () => {
  const { run } = await nastyPlace();
  const { code, ends, log } = await run(
    // As a text of the file it would be refused.
    `  - {name: huge, command: '# {x}', parameters: {x: '[${'x'.repeat(200_000)}]'}}\n  - {name: other, command: "true"}\n`,
  );
  expect([code, ends]).toEqual([0, { huge: ['failed', 126], other: OK }]);
  expect(log).toContain('ERROR Job cannot be started job_id=1');
});

it('little memory for a job ends that job only', async () => {
  const { run } = await nastyPlace();
  const { ends } = await run(
    `
  - {name: hungry, command: 'ulimit -v 50000; head -c 1G /dev/zero | tail -c 900M > /dev/null'}
  - {name: other, command: "true"}
`,
  );
  expect(ends).toEqual({ hungry: ['failed', expect.any(Number)], other: OK });
});
