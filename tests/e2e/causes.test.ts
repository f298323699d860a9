import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { start, temporaryFolder, torc, until } from '../support/programs.ts';

// Samples alone, everywhere: job-limits.test.ts is about control groups.
vi.stubEnv('TORC_CONTROL_GROUPS', 'off');

const FLOW = `
name: causes
resource_monitor: {sample_interval_seconds: 1, jobs: {enabled: true}}
resource_requirements:
  - {name: little, num_cpus: 1, memory: 64m, runtime: PT5M}
jobs:
  - {name: greedy, command: 'head -c 200m /dev/zero | tail | sleep 600', resource_requirements: little}
  - {name: forgets, command: 'true', resource_requirements: little, output_files: [made]}
  - {name: exits, command: 'exit 1', resource_requirements: little, output_files: [never]}
  - {name: leaves, command: 'touch left.txt; exit 1', resource_requirements: little, output_files: [left]}
  - {name: works, command: 'true', resource_requirements: little}
files: [{name: made, path: made.txt}, {name: never, path: never.txt}, {name: left, path: left.txt}]
`;

const FORGOTTEN = 'it ended with 0 and did not write a declared output';

interface Listed {
  readonly id: number;
  readonly job_name: string;
  readonly causes?: readonly { readonly code: string; readonly message: string }[];
}

it('results say why each job did not complete: its memory, an output that it did not write, or its own exit code', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'causes.yaml'), FLOW);
  await torc(['-s', 'run', 'causes.yaml'], { cwd: folder });
  const call = async (...args: string[]) => (await torc(['-s', ...args], { cwd: folder })).stdout;

  const { items } = JSON.parse(await call('-f', 'json', 'results', 'list', '1')) as { items: Listed[] };
  const causes = Object.fromEntries(items.map((each) => [each.job_name, each.causes]));
  expect(causes).toEqual({
    greedy: [
      {
        code: 'out_of_memory',
        message: expect.stringMatching(/^it used more memory than it may: it used [\d.]+ of 64 MiB$/),
      },
    ],
    forgets: [{ code: 'missing_output', message: `${FORGOTTEN}: made.txt` }],
    exits: [{ code: 'exit_code', message: 'the command itself ended with 1' }],
    leaves: [{ code: 'exit_code', message: 'the command itself ended with 1' }],
    works: undefined,
  });

  const table = await call('results', 'list', '1');
  expect(table).toMatch(/│ Cause +│/);
  expect(table).toMatch(/ greedy .* it used [\d.]+ of 64 MiB +│/);
  expect(await call('results', 'list', '1', '-s', 'completed')).not.toContain('Cause');
  // CSV has the columns of Torc.
  expect((await call('-f', 'csv', 'results', 'list', '1')).split('\n')[0]).toMatch(/,Status$/);

  const forgets = items.find((each) => each.job_name === 'forgets')?.id;
  expect(await call('results', 'get', String(forgets))).toContain(`Cause: ${FORGOTTEN}: made.txt`);
  const works = items.find((each) => each.job_name === 'works')?.id;
  expect(await call('results', 'get', String(works))).not.toContain('Cause');
});

const STALE = `
name: stale
jobs:
  - {name: skips, command: 'true', output_files: [kept]}
  - {name: writes, command: 'echo new > written.txt', output_files: [written]}
files: [{name: kept, path: kept.txt}, {name: written, path: written.txt}]
`;

it.each([
  ['', 'completed', 0],
  ['execution_config: {stale_outputs: fail}\n', 'failed', 1],
] as const)(
  'a job that exits with 0 and does not touch an output of before has that cause, and one that writes it has none: %j',
  async (setting, status, returnCode) => {
    const folder = temporaryFolder();
    for (const name of ['kept.txt', 'written.txt']) writeFileSync(join(folder, name), 'old\n');
    writeFileSync(join(folder, 'stale.yaml'), `${STALE}${setting}`);
    // The change time cannot be set: files of the last two seconds may be of the job itself.
    await until(
      () => Date.now() - statSync(join(folder, 'kept.txt')).ctimeMs,
      (ageMs) => ageMs > 2_500,
      'the files to be old',
    );
    await torc(['-s', 'run', 'stale.yaml'], { cwd: folder });
    const { stdout } = await torc(['-s', '-f', 'json', 'results', 'list', '1'], { cwd: folder });
    const { items } = JSON.parse(stdout) as { items: (Listed & { status: string; return_code: number })[] };
    const [skips, writes] = items.toSorted((a, b) => a.job_name.localeCompare(b.job_name));
    expect([skips?.status, skips?.return_code, skips?.causes]).toEqual([
      status,
      returnCode,
      [
        {
          code: 'stale_output',
          message: 'it ended with 0 and did not touch a declared output that was there before: kept.txt',
        },
      ],
    ]);
    expect([writes?.status, writes?.causes]).toEqual(['completed', undefined]);
  },
);

/** A control group of version 1 that this test makes; undefined where it cannot. */
function memoryGroup(limitBytes: number): string | undefined {
  const folder = `/sys/fs/cgroup/memory/torc-test-${randomUUID()}`;
  if (!existsSync('/sys/fs/cgroup/memory/memory.oom_control')) return undefined;
  try {
    mkdirSync(folder);
    writeFileSync(`${folder}/memory.limit_in_bytes`, String(limitBytes));
    return folder;
  } catch {
    return undefined;
  }
}

const TOO_MUCH = `
name: kernel
resource_requirements:
  - {name: plenty, num_cpus: 1, memory: 500m, runtime: PT5M}
jobs:
  - {name: killed, command: 'kill -KILL $$', resource_requirements: plenty}
  # One after the other: the kernel counts its kills and names none.
  - name: greedy
    command: 'head -c 5G /dev/zero | tail'
    resource_requirements: plenty
    depends_on: [killed]
    cancel_on_blocking_job_failure: false
`;

const GROUP = memoryGroup(900 * 2 ** 20);

it.skipIf(GROUP === undefined)(
  'a job that the kernel killed because memory ran out has that cause, and one that a person killed has not',
  async () => {
    const group = GROUP as string;
    onTestFinished(() => rmdirSync(group));
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'kernel.yaml'), TOO_MUCH);
    const ownGroup = readFileSync('/proc/self/cgroup', 'utf8').match(/^\d+:memory:(.*)$/m)?.[1] ?? '/';
    // The runner starts in the group; this process must stay outside.
    const moved = (pid: number, path: string) =>
      writeFileSync(`/sys/fs/cgroup/memory${path}/cgroup.procs`, String(pid));
    moved(process.pid, `/${basename(group)}`);
    const running = start('torc', ['-s', 'run', 'kernel.yaml'], { cwd: folder });
    moved(process.pid, ownGroup);
    await running.ended;
    const listed = await torc(['-s', '-f', 'json', 'results', 'list', '1'], { cwd: folder });
    const { items } = JSON.parse(listed.stdout) as { items: Listed[] };
    const codes = Object.fromEntries(items.map((each) => [each.job_name, each.causes?.map(({ code }) => code)]));
    expect(codes).toEqual({ greedy: ['out_of_memory'], killed: ['signal'] });
  },
);
