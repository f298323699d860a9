import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { leftResults } from '../support/standalone.ts';
import { readProcesses } from '../support/processes.ts';

// Samples alone, everywhere: job-limits.test.ts is about control groups.
vi.stubEnv('TORC_CONTROL_GROUPS', 'off');

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
  const items = await leftResults(folder);
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
  it('a job that uses more memory than it asked for is killed with all that it started, and fails with 137; the log says how much it used', async () => {
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

  it('a job that uses more memory than it asked for fails with the code that the workflow names', async () => {
    const { results, stderr } = await runIn(
      temporaryFolder(),
      limited(
        `  - {name: greedy, resource_requirements: small, command: ${JSON.stringify(hold(10))}}`,
        'execution_config: {oom_exit_code: 42}',
      ),
    );
    expect(results['greedy']).toMatchObject({ status: 'failed', return_code: 42 });
    expect(stderr).toContain('To run what had too little memory again with more: torc -s recover 1\n');
  });

  it.each([
    ['limit_resources is false', 'small', 'execution_config: {limit_resources: false}'],
    ['it names no requirements', 'default', ''],
  ])('a job that uses more memory than it asked for lives where %s', async (_, requirements, rest) => {
    const named = requirements === 'default' ? '' : `resource_requirements: ${requirements}, `;
    const { results, log, stderr } = await runIn(
      temporaryFolder(),
      limited(`  - {name: greedy, ${named}command: ${JSON.stringify(hold(10, 3))}}`, rest),
    );
    expect(results['greedy']).toMatchObject({ status: 'completed', return_code: 0 });
    expect(results['greedy']?.peak_memory_bytes).toBeGreaterThan(100 * MIB);
    expect(log).not.toContain('OOM');
    const asked = requirements === 'small';
    expect(
      /^1 job used more memory than it asked for:\n {2}greedy \(job 1\) used [\d.]+ of 100 MiB$/m.test(stderr),
    ).toBe(asked);
    expect(log.includes('WARN Job used more memory than it asked for workflow_id=1 job_id=1')).toBe(asked);
  });

  it('a job that uses more memory than it asked for is not one whose processes share the memory, however often each of them counts it', async () => {
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

describe('what is reported of a job that is watched', () => {
  it('what is reported of a job that is watched counts what left its session and lost its parents, and nothing of memory for one too short for a sample', async () => {
    const { results } = await runIn(
      temporaryFolder(),
      `
name: watched
resource_monitor: {jobs: {enabled: true}, sample_interval_seconds: 1}
jobs:
  - {name: away, command: ${JSON.stringify(`(setsid bash -c '${hold(4, 3)}' &); sleep 3.5; :`)}}
  - {name: short, command: "true"}
`,
    );
    expect(results['away']?.peak_memory_bytes).toBeGreaterThan(40 * MIB);
    expect(results['away']?.avg_memory_bytes).toBeGreaterThan(MIB);
    expect(results['short']).toMatchObject({
      peak_cpu_percent: expect.any(Number),
      avg_cpu_percent: expect.any(Number),
    });
    expect(results['short']).not.toHaveProperty('avg_memory_bytes');
  });

  it('what is reported of a job that is watched has no samples where they were not requested', async () => {
    const folder = temporaryFolder();
    const { results } = await runIn(folder, 'name: x\nresource_monitor: {}\njobs: [{name: a, command: "sleep 1"}]\n');
    expect(results['a']?.avg_memory_bytes).toBeUndefined();
    expect(existsSync(join(folder, 'torc_output/resource_utilization'))).toBe(false);
  });
});

const rowsOf = (path: string, sql: string): Record<string, unknown>[] => {
  if (!existsSync(path)) return [];
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

describe('measurements over time', () => {
  const label = `wf1_h${hostname()}_r1`;
  const folderOf = (folder: string) => join(folder, 'torc_output/resource_utilization');

  it('measurements over time are in their file while the job runs, are drawn at the end, and can be drawn again', async () => {
    const folder = temporaryFolder();
    const spec = `
name: timed
resource_monitor:
  sample_interval_seconds: 1
  flush_interval_seconds: 1
  generate_plots: true
  jobs: {enabled: true, granularity: time_series}
  compute_node: {enabled: true, granularity: time_series}
jobs: [{name: waits, command: "until [ -e go ]; do sleep 0.1; done"}]
`;
    const run = start('torc', ['-s', 'run', write(folder, spec)], { cwd: folder });
    const path = join(folderOf(folder), `resource_metrics_${label}.db`);
    const count = (table: string) => () => rowsOf(path, `select * from ${table}`).length;
    await run.says('Created workflow 1');
    await until(
      () => rowsOf(path, "select * from sqlite_master where type = 'table'").length,
      (tables) => tables > 0,
      'the file',
    );
    await until(count('job_resource_samples'), (rows) => rows >= 2, 'samples of the job');
    await until(count('system_resource_samples'), (rows) => rows >= 1, 'samples of the node');
    expect(rowsOf(path, 'select * from job_metadata')).toEqual([{ job_id: 1, job_name: 'waits' }]);
    writeFileSync(join(folder, 'go'), '');
    expect((await run.ended).code).toBe(0);

    const [summary] = rowsOf(path, 'select * from system_resource_summary');
    const listed = await torc(['-s', '-f', 'json', 'compute-nodes', 'list', '1'], { cwd: folder });
    const { items } = JSON.parse(listed.stdout) as { items: Record<string, unknown>[] };
    const { id, ...figures } = summary as Record<string, unknown>;
    expect(id).toBe(1);
    expect(figures).toMatchObject({ sample_count: count('system_resource_samples')() });
    expect(figures['peak_memory_bytes']).toBeGreaterThan(MIB);
    expect(items[0]).toMatchObject(figures);

    const pages = ['index', 'job_1', 'summary', 'system_timeline'].map((name) => `${label}_${name}.html`);
    expect(readdirSync(folderOf(folder)).toSorted()).toEqual([`resource_metrics_${label}.db`, ...pages]);
    const again = await torc(['plot-resources', path, '-o', 'plots', '-f', 'json', '-j', '1,7'], { cwd: folder });
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('no samples of job 7')]);
    expect(again.stdout).toBe('plots/job_1.json\nplots/summary.json\nplots/system_timeline.json\n');
    const job = JSON.parse(readFileSync(join(folder, 'plots/job_1.json'), 'utf8')) as Record<string, unknown>;
    // The figures of the plot are those of the result.
    const [result] = await leftResults(folder);
    for (const figure of ['peak_memory_bytes', 'avg_memory_bytes', 'peak_cpu_percent', 'avg_cpu_percent'] as const)
      expect([figure, job[figure]]).toEqual([figure, result?.[figure]]);
    expect(job).toMatchObject({ job_name: 'waits', num_samples: count('job_resource_samples')() });
  });

  it('measurements over time of jobs that ended before their first sample are a page that says so, and so does the run', async () => {
    const folder = temporaryFolder();
    const words = ['-s', 'exec', '-c', 'true', '--monitor', 'time-series', '--generate-plots'];
    const { code, stderr } = await torc(words, { cwd: folder });
    const why =
      'No job was sampled; the first sample comes 0.1 s after the start of a job, or 0.5 s in a step of Slurm.';
    expect([code, stderr]).toEqual([0, expect.stringContaining(`No plots of jobs: ${why}`)]);
    const page = readFileSync(join(folderOf(folder), `${label}_summary.html`), 'utf8');
    expect(page).toContain(why);
  });

  it('measurements over time are not drawn of sums alone, and the run says what is missing', async () => {
    const folder = temporaryFolder();
    const spec =
      'name: sums\nresource_monitor: {enabled: true, generate_plots: true}\njobs: [{name: a, command: "true"}]\n';
    const { code, stderr } = await torc(['-s', 'run', write(folder, spec)], { cwd: folder });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('No plots: generate_plots needs granularity time_series for jobs or for compute_node'),
    ]);
    expect(existsSync(folderOf(folder))).toBe(false);
  });

  it('measurements over time are kept of the node alone when jobs are only summed up', async () => {
    const folder = temporaryFolder();
    await runIn(
      folder,
      `
name: apart
resource_monitor:
  sample_interval_seconds: 1
  jobs: {enabled: true}
  compute_node: {enabled: true, granularity: time_series, cpu: false}
jobs: [{name: a, command: "sleep 1.2"}]
`,
    );
    const path = join(folderOf(folder), `resource_metrics_${label}.db`);
    expect(rowsOf(path, 'select * from job_resource_samples')).toEqual([]);
    expect(rowsOf(path, 'select * from job_metadata')).toEqual([]);
    const samples = rowsOf(path, 'select cpu_percent, memory_bytes, total_memory_bytes from system_resource_samples');
    expect(samples.length).toBeGreaterThan(0);
    expect(samples[0]).toEqual({
      cpu_percent: null,
      memory_bytes: expect.any(Number),
      total_memory_bytes: expect.any(Number),
    });
  });

  it('measurements over time are not kept, and the jobs run, where the interval is none or there is no place for the file', async () => {
    const monitored = (interval: number) => `
name: x
resource_monitor: {sample_interval_seconds: ${interval}, jobs: {enabled: true, granularity: time_series}}
jobs: [{name: a, command: "true"}]
`;
    const first = await runIn(temporaryFolder(), monitored(0));
    expect(first.results['a']).toMatchObject({ status: 'completed' });
    expect(first.log).toContain(
      'WARN Failed to initialize resource monitor: resource_monitor.sample_interval_seconds is 0, expected 1 or more',
    );
    const folder = temporaryFolder();
    const begun = await torc(['-s', 'run', write(folder, 'name: y\njobs: []\n')], { cwd: folder });
    expect(begun.code).toBe(0);
    writeFileSync(folderOf(folder), 'in the way');
    const second = await torc(['-s', 'run', write(folder, monitored(1))], { cwd: folder });
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    expect(second.stderr).toContain('No file for measurements over time; only summaries are kept');
  });
});

describe('torc monitor-node', () => {
  const fileIn = (folder: string) => join(folder, 'out/resource_utilization');

  it('torc monitor-node measures the machine until it is asked to end, without a server', async () => {
    const folder = temporaryFolder();
    const monitor = start('torc', ['monitor-node', '-o', 'out', '-i', '1', '--flush-interval-seconds', '1'], {
      cwd: folder,
    });
    await monitor.says('Measuring this machine into ');
    const [name = ''] = readdirSync(fileIn(folder));
    expect(name).toMatch(/^resource_metrics_h.+_p\d+\.db/);
    const path = join(fileIn(folder), `resource_metrics_h${hostname()}_p${monitor.child.pid}.db`);
    await until(
      () => rowsOf(path, 'select * from system_resource_samples').length,
      (rows) => rows > 0,
      'samples',
    );
    monitor.child.kill('SIGUSR1');
    const { code, stdout, stderr } = await monitor.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/\d+ samples? in out\/resource_utilization\//);
    expect(stderr).not.toContain('Debugger');
    expect(rowsOf(path, 'select id from system_resource_summary')).toEqual([{ id: 1 }]);
    const drawn = await torc(['plot-resources', path], { cwd: folder });
    expect(drawn.stdout).toBe('index.html\nsystem_timeline.html\n');
  });

  it('torc monitor-node measures what a workflow asks for, only in sums with --summary-only, and refuses one that asks for nothing', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const environment = { TORC_API_URL: server.url };
    const body = { name: 'w', user: 'tester' };
    await server.client.createWorkflow({ body });
    await server.client.createWorkflow({
      body: { ...body, resource_monitor_config: { compute_node: { enabled: true, memory: false } } },
    });
    const refused = await torc(['monitor-node', '-w', '1', '-o', 'out'], { cwd: folder, environment });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('workflow 1: resource_monitor.compute_node is not enabled'),
    ]);
    const monitor = start('torc', ['monitor-node', '-w', '2', '-o', 'out', '--summary-only'], {
      cwd: folder,
      environment,
    });
    await monitor.says('Measuring this machine into ');
    monitor.child.kill('SIGTERM');
    expect((await monitor.ended).code).toBe(0);
    const [path = ''] = readdirSync(fileIn(folder)).filter((name) => name.endsWith('.db'));
    expect(path).toContain('resource_metrics_wf2_');
    expect(rowsOf(join(fileIn(folder), path), 'select * from system_resource_samples')).toEqual([]);
    expect(
      rowsOf(join(fileIn(folder), path), 'select sample_count, avg_memory_bytes from system_resource_summary'),
    ).toEqual([{ sample_count: 1, avg_memory_bytes: null }]);
  });
});

describe('torc plot-resources', () => {
  it('torc plot-resources says what is wrong with what it was given', async () => {
    const folder = temporaryFolder();
    const failed = async (...args: string[]) => {
      const { code, stderr } = await torc(['plot-resources', ...args], { cwd: folder });
      return [code, stderr];
    };
    expect(await failed('none.db')).toEqual([1, expect.stringContaining('none.db does not exist')]);
    expect(await failed('none.db', '-j', '1,x')).toEqual([
      2,
      expect.stringContaining('expected ids separated by commas'),
    ]);
    expect(await failed()).toEqual([2, expect.any(String)]);
  });
});
