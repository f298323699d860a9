import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownGroups } from '../../src/cluster/host/own-groups.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

/** It allocates 600 MB as fast as a process can, where it asked for 50 MB. */
const FLOW = `
name: greedy
resource_requirements: [{name: small, num_cpus: 1, memory: 50m, runtime: PT5M}]
jobs:
  - name: greedy
    resource_requirements: small
    command: 'head -c 600M /dev/zero | tail -c 600M > /dev/null && echo survived'
`;

const found = ownGroups({ cpu: true });
const missing = typeof found === 'string' ? found : undefined;
const noCpu = typeof found === 'string' ? found : typeof found.cpu === 'string' ? found.cpu : undefined;
if (typeof found !== 'string') found.close();

async function runWith(setting: 'on' | 'off') {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  const environment = { TORC_CONTROL_GROUPS: setting };
  const { stderr } = await torc(['-s', 'run', 'flow.yaml'], { cwd: folder, environment });
  const { stdout: explained } = await torc(['-s', 'jobs', 'explain', '1'], { cwd: folder });
  const log = readFileSync(join(folder, `torc_output/job_runner_${hostname()}_wf1_r1.log`), 'utf8');
  const output = readFileSync(join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8');
  return { stderr, explained, log, output };
}

it.skipIf(missing !== undefined)(
  `a job that allocates 600 MB at once with 50 MB asked is stopped by its control group, with that as its cause${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const { stderr, explained, log, output } = await runWith('on');
    expect(log).toMatch(/INFO Memory limits are enforced by="control groups v[12] in /);
    expect(output).toBe('');
    expect(stderr).toMatch(/it used more memory than it may: .*; it used [\d.]+ of 50 MiB\n/);
    expect(stderr).toContain('torc -s recover 1');
    expect(explained).toContain('the kernel killed it at its memory limit of 50 MiB');
  },
);

it('a job that allocates 600 MB at once with 50 MB asked is named at the end of the run also without a control group', async () => {
  const { stderr, explained, log } = await runWith('off');
  expect(log).toContain('INFO Memory limits are enforced by=samples reason="TORC_CONTROL_GROUPS is off"');
  // A sample stopped it, or it had ended before.
  const used = /used ([\d.]+) of 50 MiB/;
  expect(Number(used.exec(stderr)?.[1])).toBeGreaterThan(50);
  expect(Number(used.exec(explained)?.[1] ?? /: ([\d.]+) of 50 MiB/.exec(explained)?.[1])).toBeGreaterThan(50);
});

/** Two processes that want a CPU each, where one was asked for; the job prints what its group allows and how often it waited. */
const WIDE = `
name: wide
execution_config: {limit_cpus: true}
resource_requirements: [{name: small, num_cpus: 1, memory: 50m, runtime: PT5M}]
jobs:
  - name: wide
    resource_requirements: small
    command: 'echo "limit $TORC_CPU_LIMIT $TORC_MEMORY_LIMIT_BYTES"; cat /proc/self/cgroup; cat /sys/fs/cgroup/cpu/torc-*/wf1_j1_r1_a1/cpu.cfs_quota_us || true'
  - name: free
    command: 'echo "limit \${TORC_CPU_LIMIT-none} \${TORC_MEMORY_LIMIT_BYTES-none}"'
`;

async function runWide(setting: 'on' | 'off') {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'wide.yaml'), WIDE);
  const { code } = await torc(['-s', 'run', 'wide.yaml'], {
    cwd: folder,
    environment: { TORC_CONTROL_GROUPS: setting },
  });
  const read = (path: string) => readFileSync(join(folder, 'torc_output', path), 'utf8');
  return {
    code,
    log: read(`job_runner_${hostname()}_wf1_r1.log`),
    wide: read('job_stdio/job_wf1_j1_r1_a1.o'),
    free: read('job_stdio/job_wf1_j2_r1_a1.o'),
  };
}

it.skipIf(noCpu !== undefined)(
  `a job of a workflow with limit_cpus has a control group with the CPU time of its request, and one that asked for nothing has none${noCpu === undefined ? '' : ` (${noCpu})`}`,
  async () => {
    const { code, log, wide, free } = await runWide('on');
    expect(code).toBe(0);
    expect(log).toMatch(/INFO CPU limits are enforced by="control groups v[12] in /);
    expect(wide).toContain(`limit 1 ${50 * 2 ** 20}\n`);
    expect(wide).toMatch(/torc-\d+-\d+\/wf1_j1_r1_a1\n/);
    if (log.includes('groups v1')) expect(wide).toMatch(/\n100000\n$/);
    expect(free).toBe('limit none none\n');
  },
);

it('where nothing can limit CPU time, the log of the runner says so with the reason, and jobs run', async () => {
  const { code, log } = await runWide('off');
  expect(code).toBe(0);
  expect(log).toContain('WARN CPU limits are not enforced reason="TORC_CONTROL_GROUPS is off"');
});
