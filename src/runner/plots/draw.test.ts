import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { openMetricsFile } from '../monitor/metrics-file.ts';
import { drawPlots } from './draw.ts';
import { NoMetrics } from './read.ts';

const NAME = 'train <b>"mix"</b> & test';

/** A file of measurements: samples as [job, second, CPU, memory], nodes as [second, CPU, memory]. */
function metrics(
  folder: string,
  name: string,
  jobs: readonly number[][],
  nodes: readonly (number | undefined)[][] = [],
) {
  const path = join(folder, name);
  const file = openMetricsFile({ path, onTrouble: (reason) => expect.fail(reason) });
  for (const [id = 0, second = 0, cpuPercent = 0, memoryBytes = 0] of jobs) {
    const need = { num_cpus: 1, memory_bytes: 1, num_gpus: 0, num_nodes: 1, runtime_seconds: 1 };
    const job = { id, attempt_id: 1, name: id === 1 ? NAME : `job ${id}`, resource_requirements_id: 1, need };
    file.job({ job, atMs: second * 1000, cpuPercent, memoryBytes, processes: 2 });
  }
  for (const [second = 0, cpuPercent, memoryBytes] of nodes)
    file.node({ atMs: second * 1000, cpuPercent, memoryBytes, totalMemoryBytes: 1000 });
  file.close();
  return path;
}

const options = { prefix: '', format: 'html' } as const;

/** Checks that every opened tag of a page is closed, in order, except void ones. Returns the tags. */
function tagsOf(html: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  const body = html.replace(/^<!doctype html>/, '').replaceAll(/<style>.*?<\/style>/gs, '');
  for (const [, isEnd, name = '', isEmpty] of body.matchAll(/<(\/?)([a-z]\w*)(?:\s+[\w-]+="[^"<>]*")*\s*(\/?)>/g)) {
    if (isEnd === '/') expect(open.pop()).toBe(name);
    else {
      seen.push(name);
      if (isEmpty !== '/' && name !== 'meta') open.push(name);
    }
  }
  expect(open).toEqual([]);
  // The text between the tags contains no angle bracket.
  expect(body.replaceAll(/<\/?[a-z]\w*(?:\s+[\w-]+="[^"<>]*")*\s*\/?>/g, '')).not.toMatch(/[<>]/);
  return seen;
}

describe('plots', () => {
  it('are a page a job, one of all jobs, and one of the node, each whole and without a network', () => {
    const folder = temporaryFolder();
    const path = metrics(
      folder,
      'm.db',
      [
        [1, 100, 50, 2 ** 30],
        [1, 110, 150, 2 ** 31],
        [2, 100, 10, 5000],
      ],
      [
        [100, 10, 100],
        [110, 30, 300],
      ],
    );
    const { paths, missing } = drawPlots([path], { ...options, folder: join(folder, 'plots') });
    const names = ['job_1.html', 'job_2.html', 'summary.html', 'system_timeline.html'];
    expect([readdirSync(join(folder, 'plots')).sort(), missing]).toEqual([names, []]);
    expect(paths).toEqual(names.map((name) => join(folder, 'plots', name)));
    const pages = paths.map((each) => readFileSync(each, 'utf8'));
    for (const page of pages) {
      tagsOf(page);
      expect(page).not.toMatch(/https?:|<script|@import|url\(/);
    }
    const [first = '', second = '', summary = '', timeline = ''] = pages;
    expect(tagsOf(first).filter((tag) => tag === 'svg')).toHaveLength(3);
    expect(first).toContain('Job 1: train &lt;b&gt;&quot;mix&quot;&lt;/b&gt; &amp; test');
    expect(first).toMatch(/<td>memory<\/td><td>2 GiB<\/td><td>1.5 GiB<\/td>/);
    expect(first).toMatch(/<path class="line c0" d="M64 [\d.]+L844 [\d.]+"\/>/);
    // A single sample is a dot: a line would show nothing.
    expect(second).toContain('<circle');
    expect(summary).toContain('<a href="job_1.html">');
    expect(timeline).toContain('all: 1000 B');
  });

  it('have an overview without a sample of any job where words for it are given, and else none', () => {
    const folder = temporaryFolder();
    const path = metrics(folder, 'm.db', []);
    expect(drawPlots([path], { ...options, folder }).paths).toEqual([]);
    const { paths, jobs } = drawPlots([path], { ...options, folder, withoutJobs: 'None was <seen>.' });
    expect([paths, jobs]).toEqual([[join(folder, 'summary.html')], 0]);
    const page = readFileSync(join(folder, 'summary.html'), 'utf8');
    expect(tagsOf(page)).toContain('table');
    expect(page).toContain('<p>None was &lt;seen&gt;.</p>');
  });

  it('as JSON are the same figures', () => {
    const folder = temporaryFolder();
    const path = metrics(folder, 'm.db', [
      [1, 100, 50, 100],
      [1, 110, 150, 300],
    ]);
    const { paths } = drawPlots([path], { folder, prefix: 'mine', format: 'json' });
    expect(paths).toEqual([join(folder, 'mine_job_1.json'), join(folder, 'mine_summary.json')]);
    const figures = {
      job_id: 1,
      job_name: NAME,
      num_samples: 2,
      duration_seconds: 10,
      peak_cpu_percent: 150,
      avg_cpu_percent: 100,
      peak_memory_bytes: 300,
      avg_memory_bytes: 200,
      max_processes: 2,
    };
    const [job, summary] = paths.map((each) => JSON.parse(readFileSync(each, 'utf8')) as unknown);
    expect(summary).toEqual({ jobs: [figures] });
    expect(job).toEqual({
      ...figures,
      timestamps: [100, 110],
      cpu_percent: [50, 150],
      memory_bytes: [100, 300],
      num_processes: [2, 2],
    });
  });

  it('of several files join a job that ran again elsewhere, and keep nodes apart', () => {
    const folder = temporaryFolder();
    const later = metrics(folder, 'b.db', [[1, 200, 1, 1]], [[200, undefined, 5]]);
    const sooner = metrics(folder, 'a.db', [[1, 100, 2, 2]], [[100, 7, 5]]);
    drawPlots([later, sooner], { folder, prefix: '', format: 'json' });
    const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
    expect(read('job_1.json')).toMatchObject({ timestamps: [100, 200], cpu_percent: [2, 1] });
    expect(read('system_timeline.json')).toMatchObject({
      systems: [
        { database: 'b.db', cpu_percent: [null], peak_cpu_percent: 0 },
        { database: 'a.db', cpu_percent: [7], peak_cpu_percent: 7 },
      ],
    });
  });

  it('are drawn of chosen jobs only, and those that are not there are told', () => {
    const folder = temporaryFolder();
    const path = metrics(folder, 'm.db', [
      [1, 100, 1, 1],
      [2, 100, 1, 1],
    ]);
    const { paths, missing } = drawPlots([path], { ...options, folder, jobIds: new Set([2, 9]) });
    expect(paths).toEqual([join(folder, 'job_2.html'), join(folder, 'summary.html')]);
    expect(missing).toEqual([9]);
  });

  it('are none of a file without samples, and refused of what is no such file', () => {
    const folder = temporaryFolder();
    expect(drawPlots([metrics(folder, 'm.db', [])], { ...options, folder }).paths).toEqual([]);
    expect(() => drawPlots([join(folder, 'none.db')], { ...options, folder })).toThrow(NoMetrics);
    writeFileSync(join(folder, 'other.db'), 'some text that is not a database, and long enough to be read as one');
    expect(() => drawPlots([join(folder, 'other.db')], { ...options, folder })).toThrow(
      /other\.db cannot be read as a file of measurements: .*not a database/,
    );
  });
});
