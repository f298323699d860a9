import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { parseCpuTime } from '../../src/core/quantity/slurm-time.ts';
import { BURNED_SECONDS, CARD, RAMP_MEGABYTES, type Shape, shapes } from './known-shapes.ts';

interface Link {
  readonly kind: string;
  readonly workflow_job: number;
  readonly pid: number;
  readonly start: number;
  readonly slurm_job?: number;
  readonly step?: string;
}
interface Profile {
  readonly cpu_seconds?: number;
  readonly peak_bytes?: number;
  readonly attempts?: readonly { readonly workflow_job: number }[];
  readonly items: readonly {
    readonly cmd: string;
    readonly pid: string;
    readonly depth: number;
    readonly cpu_seconds: number;
    readonly memory_kb: number;
    readonly gpu_percent: number;
    readonly gpu_memory_kb: number;
  }[];
}
interface Sample {
  readonly data: {
    readonly attributes: {
      readonly jobs: readonly {
        readonly processes: readonly { readonly pid: number; readonly gpus?: readonly object[] }[];
      }[];
    };
  };
}

/** Both within five percent. */
function expectNear(found: number | undefined, expected: number): void {
  expect(found).toBeGreaterThanOrEqual(expected * 0.95);
  expect(found).toBeLessThanOrEqual(expected * 1.05);
}

/** Samples have whole seconds. */
function expectRounded(found: number, expected: number): void {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(1);
}

/** A cluster on which the jobs of known shape run, each mode in a workflow and an allocation of its own. */
export interface ShapesLane {
  readonly folder: string;
  readonly begun: Readonly<Record<string, { readonly id: number; readonly job: string }>>;
  call(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }>;
  /** The results of a workflow by the names of its jobs, when its runner has left. */
  finished(id: number): Promise<Record<string, Result>>;
  /** CPU seconds of the step whose name begins so, in the accounting; absent where there are no steps. */
  accounted?(job: string, name: string): Promise<number>;
  /** Memory of steps is polled by the batch system. */
  readonly isMemoryPolled?: boolean;
}

/** What is promised of jobs of known shape, in these modes: `steps` of the batch system, `batches` inside of one, `processes`. */
export function tryKnownShapes(modes: readonly string[], lane: () => ShapesLane): void {
  const jsonOf = async (...args: string[]): Promise<Profile> => {
    const { stdout, stderr } = await lane().call('-f', 'json', ...args);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Profile;
  };
  const profileOf = (id: number, { job_id: job }: Pick<Result, 'job_id'>, ...more: string[]) =>
    jsonOf('jobs', 'profile', String(job), '-o', join(lane().folder, `out-${id}`), ...more);
  /** The values that a job printed behind a word. */
  const reported = (id: number, { job_id: job }: Pick<Result, 'job_id'>, word: string): string[] =>
    readFileSync(join(lane().folder, `out-${id}/job_stdio/job_wf${id}_j${job}_r1_a1.o`), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  const linesOf = <Line>(id: number, extension: string) =>
    globSync(join(lane().folder, `out-${id}/sonar/*/*/*/*/0+*${extension}`)).flatMap((path) =>
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line),
    );
  const resultsOf = async (mode: string) => {
    const { id, job } = lane().begun[mode] as { id: number; job: string };
    const results = (await lane().finished(id)) as Record<Shape, Result>;
    const ends = Object.entries(results).map(([name, { status, cause }]) => [
      name,
      cause === undefined ? status : `${status}: ${cause}`,
    ]);
    expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(shapes.map((shape) => [shape, 'completed'])));
    return { id, job, results };
  };

  describe.each(modes)('as %s', (mode) => {
    it('no process is in the wrong workflow job, and all that a job has printed are in its own', async () => {
      const { id, job, results } = await resultsOf(mode);
      const links = linesOf<Link>(id, '.links');
      const linked = links.filter(({ kind }) => kind === 'process');
      const owners = Map.groupBy(linked, ({ pid, start }) => `${pid} ${start}`);
      expect([...owners.values()].filter((each) => new Set(each.map((link) => link.workflow_job)).size > 1)).toEqual(
        [],
      );
      expect(new Set(linked.map((link) => link.slurm_job))).toEqual(new Set([Number(job)]));
      if (lane().accounted !== undefined) expect(linked.filter(({ step = '' }) => step === '')).toEqual([]);
      const ends = links.filter(({ kind }) => kind === 'end').map((link) => link.workflow_job);
      expect(ends.toSorted(byValue)).toEqual(shapes.map((shape) => results[shape].job_id).toSorted(byValue));

      for (const shape of shapes) {
        const pids = reported(id, results[shape], 'pid').map(Number);
        const of = linked.filter(({ pid }) => pids.includes(pid)).map((link) => link.workflow_job);
        expect(new Set(of)).toEqual(new Set(of.length > 0 ? [results[shape].job_id] : []));
        // One that ends between two samples is in none.
        if (shape !== 'short') expect(linked.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
      }
    });

    it('the CPU time of a burner is what the kernel reported to its parent, and what an accounting has', async () => {
      const { id, job, results } = await resultsOf(mode);
      const { burner } = results;
      // Those of the shell and of the child that it waited for, in minutes and seconds.
      const waited = (reported(id, burner, 'times')[0] ?? '')
        .split(' ')
        .map((each) => parseCpuTime(each.replace('m', ':').replace('s', '')));
      const wait4 = waited.reduce((sum: number, each) => sum + (each ?? Number.NaN), 0);
      // The limit that ends it counts ticks of the clock, and a busy host takes some of them: 3.96 of 5 s were seen.
      expect(wait4).toBeGreaterThan(BURNED_SECONDS / 2);
      const { cpu_seconds: total } = await profileOf(id, burner);
      expectNear(total, wait4);
      const processes = await profileOf(id, burner, '--processes');
      // A process has that of the children that it waited for, so the first one has all.
      expectRounded(Math.max(...processes.items.map((each) => each.cpu_seconds)), wait4);
      expectRounded(integrated(await profileOf(id, burner)), wait4);

      // Other jobs have their own CPU time alone.
      for (const shape of ['ramp', 'tree', 'short', 'gpu'] as const)
        expect(integrated(await profileOf(id, results[shape]))).toBeLessThan(wait4 / 2);
      const { accounted } = lane();
      if (accounted === undefined) return;
      if (mode === 'steps') {
        expectNear(total, await accounted(job, `wf${id}_j${burner.job_id}_r1_a1`));
        return;
      }
      // The step of all jobs has the runner's or the launcher's own time too, which no record separates: all jobs have less.
      const all = await Promise.all(shapes.map((shape) => profileOf(id, results[shape])));
      const sum = all.reduce((before, { cpu_seconds: seconds }) => before + (seconds ?? Number.NaN), 0);
      const name = mode === 'batches' ? `wf${id}_r1_jobs_` : 'batch';
      expect(sum).toBeLessThanOrEqual(await accounted(job, name));
    });

    it('the peak of memory is that of the control group, or what the job holds', async () => {
      const { id, results } = await resultsOf(mode);
      const { peak_bytes: peak, items } = await profileOf(id, results.ramp);
      const sampled = Math.max(...items.map((each) => each.memory_kb)) * 1024;
      expectNear(sampled, RAMP_MEGABYTES * 2 ** 20);
      expect(items.some((each) => each.memory_kb * 1024 < sampled / 2)).toBe(true);
      if (mode === 'steps' && lane().isMemoryPolled === true) {
        // Slurm adds up what each process of the step holds, its shells and its daemon's child included: pages that they share count several times.
        expect(peak).toBeGreaterThanOrEqual(sampled * 0.95);
        expect(peak).toBeLessThanOrEqual(sampled * 1.2);
        return;
      }
      expectNear(peak, RAMP_MEGABYTES * 2 ** 20);
      // The group of the other modes has the runner, or the launcher and other jobs.
      const [group] = reported(id, results.ramp, 'group');
      if (mode !== 'steps') return;
      expectNear(sampled, Number(group));
      expectNear(peak, Number(group));
    });

    it('a tree of eight processes is shown as one, without what the batch system and the runner start around it', async () => {
      const { id, results } = await resultsOf(mode);
      const { items } = await profileOf(id, results.tree, '--processes');
      const own = reported(id, results.tree, 'pid');
      expect(own).toHaveLength(8);
      const top = items.find(({ pid }) => pid === own[0])?.depth ?? Number.NaN;
      const depths = own.map((pid) => (items.find((each) => each.pid === pid)?.depth ?? Number.NaN) - top);
      expect(depths.toSorted(byValue)).toEqual([0, 1, 1, 1, 1, 2, 2, 2]);
      expect(items.filter(({ cmd }) => /^(?:srun|slurm|pbs|node|torc)/.test(cmd))).toEqual([]);
    });

    it('a job that uses a card has its figures, no other job has, and a process that is no job is left out', async () => {
      const { id, results } = await resultsOf(mode);
      const figures = await Promise.all(
        shapes.map(async (shape) => {
          const { items } = await profileOf(id, results[shape]);
          const uses = items.filter((each) => each.gpu_percent > 0 || each.gpu_memory_kb > 0);
          return [shape, new Set(uses.map((each) => `${each.gpu_percent} ${each.gpu_memory_kb}`))];
        }),
      );
      expect(Object.fromEntries(figures)).toEqual({
        ...Object.fromEntries(shapes.map((shape) => [shape, new Set()])),
        gpu: new Set([`${CARD.computePercent} ${CARD.useMegabytes * 1024}`]),
      });
      const samples = linesOf<Sample>(id, 'sample-*.json');
      const processes = samples.flatMap(({ data }) => data.attributes.jobs).flatMap((each) => each.processes);
      const [user] = reported(id, results.gpu, 'pid');
      expect(new Set(processes.filter(({ gpus }) => gpus !== undefined).map(({ pid }) => pid))).toEqual(
        new Set([Number(user)]),
      );
    });

    it('a job of 300 ms has its total, and the store shows all jobs by the id that the batch system gave', async () => {
      const { id, job, results } = await resultsOf(mode);
      const short = await profileOf(id, results.short);
      expect(short).toMatchObject({ workflow_id: id, job_name: 'short' });
      expect(short.cpu_seconds).toBeGreaterThan(0);
      expect(short.cpu_seconds).toBeLessThan(0.3);
      const store = ['--store', join(lane().folder, `store-${mode}.db`)];
      await lane().call('sonar', 'ingest', join(lane().folder, `out-${id}/sonar`), '--add-clusters', ...store);
      const all = await jsonOf('sonar', 'show', 'profile', job, '--every', 'sample', ...store);
      const linked = new Set(
        linesOf<Link>(id, '.links')
          .filter(({ kind }) => kind === 'process')
          .map((each) => each.workflow_job),
      );
      expect(new Set(all.attempts?.map((each) => each.workflow_job))).toEqual(linked);
      for (const shape of ['burner', 'ramp', 'tree', 'gpu'] as const) expect(linked).toContain(results[shape].job_id);
      const profiles = await Promise.all(shapes.map((shape) => profileOf(id, results[shape])));
      const sum = profiles.reduce((before, profile) => before + integrated(profile), 0);
      expectNear(integrated(all), sum);
    });
  });
}

const byValue = (one: number, other: number): number => one - other;

const integrated = ({ items }: Profile): number => items.reduce((sum, each) => sum + each.cpu_seconds, 0);
