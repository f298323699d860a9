import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProcesses } from '../../src/cluster/host/proc.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

interface Result {
  readonly job_name: string;
  readonly status: string;
  readonly return_code: number;
  readonly peak_memory_bytes?: number;
  readonly avg_memory_bytes?: number;
  readonly peak_cpu_percent?: number;
  readonly avg_cpu_percent?: number;
}

const MIB = 2 ** 20;

/** A line of bash that holds so many times 20 MiB of memory for a while. */
const hold = (parts: number, seconds = 60) =>
  `for i in {1..${parts}}; do printf -v held$i "%*s" ${20 * MIB} ""; done; sleep ${seconds}; :`;

const write = (folder: string, text: string): string => {
  const path = join(folder, 'flow.yaml');
  writeFileSync(path, text);
  return path;
};

const runIn = async (folder: string, spec: string, ...options: string[]) => {
  const ended = await torc(['-s', 'run', write(folder, spec), ...options], { cwd: folder });
  const listed = await torc(['-s', '-f', 'json', 'results', 'list', '1'], { cwd: folder });
  const { items } = JSON.parse(listed.stdout) as { items: Result[] };
  const log = readFileSync(join(folder, `torc_output/job_runner_${hostname()}_wf1_r1.log`), 'utf8');
  return { ...ended, log, results: Object.fromEntries(items.map((each) => [each.job_name, each])) };
};

const limited = (jobs: string, rest = '') => `
name: limited
resource_requirements:
  - {name: small, memory: 100m, num_cpus: 1, runtime: PT5M}
resource_monitor: {jobs: {enabled: true}, sample_interval_seconds: 1}
${rest}
jobs:
${jobs}
`;

describe('a job that uses more memory than it asked for', () => {
  it('is killed with all that it started, and fails with 137; the log says how much it used', async () => {
    const folder = temporaryFolder();
    const stray = `setsid bash -c 'exec -a torc-test-stray-${process.pid} sleep 600' & `;
    const { results, log } = await runIn(
      folder,
      limited(`
  - {name: greedy, resource_requirements: small, command: ${JSON.stringify(`${stray}${hold(10)}`)}}
  - {name: modest, resource_requirements: small, command: ${JSON.stringify(hold(1, 3))}}
`),
    );
    expect(results['greedy']).toMatchObject({ status: 'failed', return_code: 137 });
    expect(results['greedy']?.peak_memory_bytes).toBeGreaterThan(100 * MIB);
    expect(results['modest']).toMatchObject({ status: 'completed', return_code: 0 });
    expect(results['modest']?.peak_memory_bytes).toBeGreaterThan(10 * MIB);
    expect(log).toMatch(
      /WARN OOM violation detected: workflow_id=1 job_id=1 pid=\d+ memory=0\.\d\dGB limit=0\.10GB\n.* WARN Killing OOM job workflow_id=1 job_id=1\n/,
    );
    expect(log).not.toContain('Killing OOM job workflow_id=1 job_id=2');
    const left = readProcesses().filter(({ pid }) => commandOf(pid).includes(`torc-test-stray-${process.pid}`));
    expect(left).toEqual([]);
  });

  it('fails with the code that the workflow names', async () => {
    const { results } = await runIn(
      temporaryFolder(),
      limited(
        `  - {name: greedy, resource_requirements: small, command: ${JSON.stringify(hold(10))}}`,
        'execution_config: {oom_exit_code: 42}',
      ),
    );
    expect(results['greedy']).toMatchObject({ status: 'failed', return_code: 42 });
  });

  it.each([
    ['limit_resources is false', 'small', 'execution_config: {limit_resources: false}'],
    ['it names no requirements', 'default', ''],
  ])('lives where %s', async (_, requirements, rest) => {
    const named = requirements === 'default' ? '' : `resource_requirements: ${requirements}, `;
    const { results, log } = await runIn(
      temporaryFolder(),
      limited(`  - {name: greedy, ${named}command: ${JSON.stringify(hold(10, 3))}}`, rest),
    );
    expect(results['greedy']).toMatchObject({ status: 'completed', return_code: 0 });
    expect(results['greedy']?.peak_memory_bytes).toBeGreaterThan(100 * MIB);
    expect(log).not.toContain('OOM');
  });

  it('is not one whose processes share the memory, however often each of them counts it', async () => {
    const shares = `${hold(3, 0)}; exec 3<> <(:); for i in 1 2 3 4; do ( read -t 1.5 -u 3 ) & done; wait; true`;
    const { results, log } = await runIn(
      temporaryFolder(),
      limited(`  - {name: shares, resource_requirements: small, command: ${JSON.stringify(shares)}}`).replace(
        '100m',
        '150m',
      ),
    );
    expect(results['shares']).toMatchObject({ status: 'completed', return_code: 0 });
    expect(log).not.toContain('OOM');
  });
});

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
};

describe('what is told of a job that is watched', () => {
  it('counts children in sessions of their own, and every figure; of one too short for a sample 0', async () => {
    const { results } = await runIn(
      temporaryFolder(),
      `
name: watched
resource_monitor: {jobs: {enabled: true}, sample_interval_seconds: 1}
jobs:
  - {name: away, command: ${JSON.stringify(`setsid bash -c ${JSON.stringify(hold(4, 3))}; true`)}}
  - {name: short, command: "true"}
`,
    );
    expect(results['away']?.peak_memory_bytes).toBeGreaterThan(40 * MIB);
    expect(results['away']?.avg_memory_bytes).toBeGreaterThan(MIB);
    expect(results['short']).toMatchObject({
      avg_memory_bytes: 0,
      peak_cpu_percent: expect.any(Number),
      avg_cpu_percent: expect.any(Number),
      peak_memory_bytes: expect.any(Number),
    });
  });

  it('is nothing of samples where nobody asked for them', async () => {
    const folder = temporaryFolder();
    const { results } = await runIn(folder, 'name: x\nresource_monitor: {}\njobs: [{name: a, command: "sleep 1"}]\n');
    expect(results['a']?.avg_memory_bytes).toBeUndefined();
    expect(existsSync(join(folder, 'torc_output/resource_utilization'))).toBe(false);
  });
});
