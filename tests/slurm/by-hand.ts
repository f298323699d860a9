import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../src/core/contract/result.ts';
import { initialized } from '../support/initialized.ts';
import { type RunningServer, torc, until } from '../support/programs.ts';
import type { Cluster } from './cluster.ts';

interface Lane {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly server: RunningServer;
}

/** Workflows whose allocations a person submits with a script of their own. */
export function byHand({ cluster, folder, server }: Lane) {
  const call = (...args: string[]) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });

  /** A workflow, ready to run. */
  const created = async (name: string, text: string): Promise<number> => {
    writeFileSync(join(folder, `${name}.yaml`), `name: ${name}\n${text}`);
    return initialized(server, folder, `${name}.yaml`);
  };

  /** Submits an allocation with runners of the workflow, or with other lines; returns its job id. */
  const allocated = (id: number, options: readonly string[], lines?: (runner: string) => readonly string[]): string => {
    const script = join(folder, `runner-${id}.sh`);
    const runner = `torc-slurm-job-runner ${server.url} ${id} out-${id} --poll-interval 1`;
    const all = [
      '#!/bin/bash',
      'unset SLURM_MEM_PER_CPU SLURM_MEM_PER_GPU',
      ...(lines?.(runner) ?? [`exec ${runner}`]),
      '',
    ];
    writeFileSync(script, all.join('\n'));
    const output = join(folder, `runner-${id}.out`);
    return cluster.run('sbatch', '--parsable', '-D', folder, '-o', output, ...options, script).trim();
  };

  const jobsOf = async (id: number) => (await server.client.listJobs({ query: { workflow_id: id } })).items;

  const resultsOf = async (id: number): Promise<Record<string, Result>> => {
    const jobs = await jobsOf(id);
    const { items } = await server.client.listResults({ query: { workflow_id: id } });
    return Object.fromEntries(items.map((each) => [jobs.find((job) => job.id === each.job_id)?.name ?? '', each]));
  };

  /** What the script of its last allocation and the steps in it printed. */
  const outputOf = (id: number) => readable(join(folder, `runner-${id}.out`));

  /** The results, when the runners of the workflow have left. */
  const finished = async (id: number): Promise<Record<string, Result>> => {
    await until(
      async () => {
        const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
        return items.length > 0 && items.every(({ is_active: isActive }) => isActive === false);
      },
      (isGone) => isGone,
      `the runner to end: ${outputOf(id)}`,
      150_000,
    );
    return resultsOf(id);
  };

  /** Empty before the runner has begun it. */
  const logOf = (id: number) =>
    globSync(join(folder, `out-${id}`, 'job_runner_slurm_*.log'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('');

  /** Waits until as many files whose names begin so are there. */
  const there = (prefix: string, count: number) =>
    until(
      () => readdirSync(folder).filter((name) => name.startsWith(prefix)).length,
      (found) => found === count,
      `${count} files ${prefix}…`,
      120_000,
    );

  return { call, created, allocated, jobsOf, resultsOf, finished, logOf, outputOf, there };
}

function readable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
