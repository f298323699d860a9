import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nastyPlace, OK, type Place } from '../../support/nasty.ts';
import { processesWith } from '../../support/processes.ts';

/** Jobs that do what they like with processes and signals. */

const leftBy = async ({ server }: Place) => {
  const { items } = await server.client.listComputeNodes({ query: { workflow_id: 1 } });
  return processesWith('TORC_RUNNER_MARK', items[0]?.process?.mark as string);
};
/** A runner that ends some seconds after its start, and its jobs a second or two before. */
const brief = {
  more: 'execution_config: {sigkill_headroom_seconds: 1, sigterm_lead_seconds: 1}',
  args: ['--time-limit', 'PT4S', '--num-cpus', '4'],
};

describe('a job that', () => {
  it('a job that forks hundreds of times and leaves has ended; they end with the runner', async () => {
    const place = await nastyPlace();
    const { code, ends, stderr } = await place.run(`
  - {name: forks, command: 'for i in $(seq 300); do sleep 600 & done; exit 0'}
  - {name: other, command: "true", depends_on: [forks]}
`);
    expect([code, ends]).toEqual([0, { forks: OK, other: OK }]);
    expect(stderr).toMatch(/Jobs left processes behind.*processes_ended=300/);
    expect(await leftBy(place)).toEqual([]);
  });

  it('a job that forks and forks again is ended at its time with all that it made', async () => {
    const place = await nastyPlace();
    const tree = 'f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi; sleep 600; }; f 6';
    const { ends } = await place.run(
      `  - {name: bomb, command: '${tree}'}\n  - {name: other, command: "true"}\n`,
      brief,
    );
    expect(ends).toEqual({ bomb: ['terminated', 143], other: OK });
    expect(await leftBy(place)).toEqual([]);
  });

  it('a job that does not listen to the signal is killed after the lead, and has the code for that', async () => {
    const { run } = await nastyPlace();
    const { ends, log } = await run(
      `
  - {name: deaf, command: 'trap "" TERM INT HUP; while :; do sleep 0.05; done'}
  - {name: late, command: 'trap "sleep 0.2; exit 0" TERM; while :; do sleep 0.05; done'}
  - {name: stopped, command: 'kill -STOP $$'}
`,
      brief,
    );
    expect(ends).toEqual({ deaf: ['terminated', 152], late: OK, stopped: ['terminated', 152] });
    // As people and tools look for them.
    expect(log).toMatch(/ INFO Jobs terminating workflow_id=1 count=3\n/);
    for (const job of [1, 2, 3]) expect(log).toContain(` INFO Job SIGTERM workflow_id=1 job_id=${job}\n`);
    expect(log).toContain(' INFO Waiting 1s for graceful termination before SIGKILL\n');
    expect(log.match(/ INFO Job SIGKILL workflow_id=1 job_id=\d\n/g)).toHaveLength(2);
  });

  it('a job that is ended by another signal than usual gets that one, and the code of the workflow', async () => {
    const { run } = await nastyPlace();
    const { ends, log } = await run(
      `
  - {name: listens, command: 'trap "exit 7" INT; while :; do sleep 0.05; done'}
  - {name: deaf, command: 'trap "" INT; while :; do sleep 0.05; done'}
`,
      {
        ...brief,
        more: 'execution_config: {sigkill_headroom_seconds: 1, sigterm_lead_seconds: 1, termination_signal: SIGINT, timeout_exit_code: 99}',
      },
    );
    expect(ends).toEqual({ listens: ['terminated', 7], deaf: ['terminated', 99] });
    expect(log).toContain(' INFO Job SIGINT workflow_id=1 job_id=1\n');
  });

  it('a job that kills its whole group, or all that it finds of its parent, hits no process but itself', async () => {
    const { run } = await nastyPlace();
    const { code, ends } = await run(`
  - {name: group, command: 'kill -9 0; sleep 600'}
  - {name: hangup, command: 'kill -HUP 0; sleep 600'}
  - {name: other, command: "true", depends_on: [group, hangup], cancel_on_blocking_job_failure: false}
`);
    expect([code, ends]).toEqual([0, { group: ['failed', 137], hangup: ['failed', 129], other: OK }]);
  });

  it('a job that leaves zombies and closes what it was given does no harm to the next', async () => {
    const place = await nastyPlace();
    const daemon = 'setsid bash -c "exec >&- 2>&- <&-; cd /; sleep 0.3; touch $PWD/late" & disown; exit 0';
    const { code, ends } = await place.run(`
  - {name: daemon, command: '${daemon}'}
  - {name: other, command: 'sleep 0.6', depends_on: [daemon]}
`);
    expect([code, ends]).toEqual([0, { daemon: OK, other: OK }]);
    // It was let live as long as the runner did.
    expect(existsSync(join(place.folder, 'late'))).toBe(true);
  });
});

it('jobs that begin together have ends of their own', async () => {
  const { run, folder } = await nastyPlace();
  const { ends } = await run(
    `  - {name: "j{i}", parameters: {i: "0:19"}, command: 'echo {i} > seen-{i}; exit {i}'}\n`,
    { args: ['--num-cpus', '20'] },
  );
  expect(ends).toEqual(
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`j${i}`, i === 0 ? OK : ['failed', i]])),
  );
  expect(readFileSync(join(folder, 'seen-19'), 'utf8')).toBe('19\n');
});
