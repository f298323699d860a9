import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

describe.skipIf(slurmIsMissing !== undefined)('jobs as steps of a real Slurm allocation', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster();
    folder = temporaryFolder();
    server = await startServer(folder);
  }, 120_000);

  const call = (...args: string[]) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });

  /** A workflow, ready to run. */
  const created = async (name: string, text: string): Promise<number> => {
    writeFileSync(join(folder, `${name}.yaml`), `name: ${name}\n${text}`);
    const { stdout, stderr } = await call('-f', 'json', 'create', `${name}.yaml`);
    const { workflow_id: id } = JSON.parse(stdout) as { workflow_id: number };
    if (id === undefined) throw new Error(stderr);
    await call('workflows', 'init', String(id), '--no-prompts');
    return id;
  };

  /** Submits an allocation with a runner of the workflow; returns its job id. */
  const allocated = (id: number, ...options: string[]): string => {
    const script = join(folder, `runner-${id}.sh`);
    writeFileSync(
      script,
      `#!/bin/bash\nunset SLURM_MEM_PER_CPU SLURM_MEM_PER_GPU\ntorc-slurm-job-runner ${server.url} ${id} out-${id} --poll-interval 1\n`,
    );
    const output = join(folder, `runner-${id}.out`);
    const said = cluster.run('sbatch', '--parsable', '-D', folder, '-o', output, ...options, script);
    return said.trim();
  };

  const resultsOf = async (id: number): Promise<Record<string, Result>> => {
    const { items: jobs } = await server.client.listJobs({ query: { workflow_id: id } });
    const { items } = await server.client.listResults({ query: { workflow_id: id } });
    return Object.fromEntries(items.map((each) => [jobs.find((job) => job.id === each.job_id)?.name ?? '', each]));
  };
  /** The results, when the workflow is complete and its runner has left. */
  const finished = async (id: number): Promise<Record<string, Result>> => {
    await until(
      async () => {
        const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
        return items.length > 0 && items.every(({ is_active: isActive }) => isActive === false);
      },
      (isGone) => isGone,
      `the runner to end: ${readable(join(folder, `runner-${id}.out`))}`,
      150_000,
    );
    return resultsOf(id);
  };
  const readable = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  const logOf = (id: number) =>
    readdirSync(join(folder, `out-${id}`))
      .filter((name) => name.startsWith('job_runner_slurm_') && name.endsWith('.log'))
      .map((name) => readFileSync(join(folder, `out-${id}`, name), 'utf8'))
      .join('');

  const small = 'resource_requirements:\n  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}\n';

  it('a job is a step with its name, its output and its result, and its accounting is stored', async () => {
    const id = await created(
      'results',
      `${small}execution_config: {mode: slurm}
jobs:
  - {name: good, command: "echo step $SLURM_STEP_ID of $SLURM_JOB_ID, $TORC_JOB_NAME", resource_requirements: small}
  - {name: seven, command: "exit 7", resource_requirements: small}
  - {name: high, command: "exit 200", resource_requirements: small}
  - {name: segfault, command: "kill -SEGV $$", resource_requirements: small}
  - {name: missing, command: "/no/such/program", resource_requirements: small}
  - {name: after, command: "true", depends_on: [good], resource_requirements: small}
`,
    );
    const job = allocated(id, '-c', '2', '--mem=400M', '-t', '5');
    const results = await finished(id);
    const codes = Object.fromEntries(
      Object.entries(results).map(([name, each]) => [name, [each.status, each.return_code]]),
    );
    expect(codes).toEqual({
      good: ['completed', 0],
      seven: ['failed', 7],
      high: ['failed', 200],
      segfault: ['failed', 139],
      missing: ['failed', 127],
      after: ['completed', 0],
    });
    const good = results['good'] as Result;
    const name = `wf${id}_j${good.job_id}_r${good.run_id}_a1`;
    expect(readFileSync(join(folder, `out-${id}/job_stdio/job_${name}.o`), 'utf8')).toMatch(
      new RegExp(`^step \\d+ of ${job}, good\n$`),
    );
    expect(cluster.run('sacct', '-j', job, '-P', '-n', '--format', 'JobName').split('\n')).toContain(name);
    expect(logOf(id)).toContain('execution_mode=Slurm');
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats).toHaveLength(6);
    expect(stats.every(({ slurm_job_id: slurmJob, node_list: nodes }) => slurmJob === job && nodes === 'n1')).toBe(
      true,
    );
    expect(readdirSync(join(folder, `out-${id}`)).filter((each) => each.startsWith('job_runner_steps'))).toEqual([]);
  }, 240_000);
});
