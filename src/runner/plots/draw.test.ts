import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { openMetricsFile } from '../observe/metrics-file.ts';
import { drawPlots } from './draw.ts';
import { NoMetrics } from './read.ts';

const NAME = 'train <b>"mix"</b> & test';

/** A file of measurements: samples as [job, second, CPU, memory], nodes as [second, CPU, memory]. */
function metrics(
  folder: string,
  name: string,
  jobs: readonly number[][],
  nodes: readonly (number | undefined)[][] = [],
  attempts: readonly Attempt[] = [],
) {
  const path = join(folder, name);
  const file = openMetricsFile({ path, onTrouble: (reason) => expect.fail(reason) });
  for (const [id = 0, second = 0, cpuPercent = 0, memoryBytes = 0] of jobs) {
    const need = { num_cpus: 1, memory_bytes: 1, num_gpus: 0, num_nodes: 1, runtime_seconds: 1 };
    const job = { id, attempt_id: 1, name: id === 1 ? NAME : `job ${id}`, resource_requirements_id: 1, need };
    file.job({ job, atMs: second * 1000, cpuPercent, memoryBytes, processes: 2 });
  }
  for (const each of attempts) file.attempt(attemptOf(each));
  for (const [second = 0, cpuPercent, memoryBytes] of nodes)
    file.node({ atMs: second * 1000, cpuPercent, memoryBytes, totalMemoryBytes: 1000 });
  file.close();
  return path;
}

interface Attempt {
  readonly attempt: number;
  readonly from: number;
  readonly to: number;
  readonly peakBytes: number;
  readonly limitBytes?: number;
}

/** An attempt at job 1 that ended, as the runner reports it. */
const attemptOf = ({ attempt, from, to, peakBytes, limitBytes }: Attempt) => ({
  job: {
    id: 1,
    attempt_id: attempt,
    name: NAME,
    resource_requirements_id: 1,
    need: { num_cpus: 1, memory_bytes: 1, num_gpus: 0, num_nodes: 1, runtime_seconds: 1 },
  },
  startedAtMs: from * 1000,
  seconds: to - from,
  observed: {
    samples: 1,
    peakMemoryBytes: 0,
    averageMemoryBytes: 0,
    peakCpuPercent: 0,
    cpuSeconds: 0,
    memoryLimitBytes: limitBytes,
  },
  measured: { peak_memory_bytes: peakBytes, avg_memory_bytes: 150, peak_cpu_percent: 90, avg_cpu_percent: 45 },
});

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
  it('plots are a page a job, one of all jobs, and one of the node, each whole and without a network', () => {
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
    const names = ['index.html', 'job_1.html', 'job_2.html', 'summary.html', 'system_timeline.html'];
    expect([readdirSync(join(folder, 'plots')).sort(), missing]).toEqual([names, []]);
    expect(paths).toEqual(names.map((name) => join(folder, 'plots', name)));
    const pages = paths.map((each) => readFileSync(each, 'utf8'));
    for (const page of pages) {
      tagsOf(page);
      expect(page).not.toMatch(/https?:|<script|@import|url\(/);
    }
    const [index = '', first = '', second = '', summary = '', timeline = ''] = pages;
    expect(tagsOf(first).filter((tag) => tag === 'svg')).toHaveLength(3);
    expect(first).toContain('Job 1: train &lt;b&gt;&quot;mix&quot;&lt;/b&gt; &amp; test');
    expect(first).toMatch(/<td>memory<\/td><td>2 GiB<\/td><td>1.5 GiB<\/td>/);
    expect(first).toMatch(/<path class="line c0" d="M64 [\d.]+L844 [\d.]+"\/>/);
    // A single sample is a dot: a line would show nothing.
    expect(second).toContain('<circle');
    expect(summary).toContain('<a href="job_1.html">');
    for (const to of [
      'summary.html',
      'job_1.html',
      'job_2.html',
      'system_timeline.html',
      'system_timeline.html#node-1',
    ])
      expect(index).toContain(`<a href="${to}">`);
    expect(timeline).toContain('<h2 id="node-1">m.db</h2>');
    for (const page of pages.slice(1)) expect(page).toContain('<nav><a href="index.html">Overview</a>');
    expect(timeline).toContain('all: 1000 B');
  });

  it('plots have an overview without a sample of any job where words for it are given, and else none', () => {
    const folder = temporaryFolder();
    const path = metrics(folder, 'm.db', []);
    expect(drawPlots([path], { ...options, folder }).paths).toEqual([]);
    const { paths, jobs } = drawPlots([path], { ...options, folder, withoutJobs: 'None was <seen>.' });
    expect([paths, jobs]).toEqual([[join(folder, 'index.html'), join(folder, 'summary.html')], 0]);
    const page = readFileSync(join(folder, 'summary.html'), 'utf8');
    expect(tagsOf(page)).toContain('table');
    expect(page).toContain('<p>None was &lt;seen&gt;.</p>');
  });

  it('plots as JSON are the same figures', () => {
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
      memory_limit_bytes: null,
    };
    const [job, summary] = paths.map((each) => JSON.parse(readFileSync(each, 'utf8')) as unknown);
    expect(summary).toEqual({ jobs: [figures] });
    expect(job).toEqual({
      ...figures,
      timestamps: [100, 110],
      cpu_percent: [50, 150],
      memory_bytes: [100, 300],
      num_processes: [2, 2],
      attempts: [],
    });
  });

  it('plots have the figures of the result, also where it knows of more than the samples', () => {
    const folder = temporaryFolder();
    const samples = [
      [1, 100.5, 50, 2 ** 20],
      [1, 100.75, 20, 2 ** 20],
    ];
    const ended = { attempt: 1, from: 100, to: 100.875, peakBytes: 3 * 2 ** 20, limitBytes: 4 * 2 ** 20 };
    const path = metrics(folder, 'm.db', samples, [], [ended]);
    drawPlots([path], { folder, prefix: '', format: 'json' });
    const [job] = (JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as { jobs: object[] }).jobs;
    expect(job).toMatchObject({
      duration_seconds: 0.875,
      peak_memory_bytes: 3 * 2 ** 20,
      avg_memory_bytes: 150,
      peak_cpu_percent: 90,
      avg_cpu_percent: 45,
      memory_limit_bytes: 4 * 2 ** 20,
    });
    drawPlots([path], { ...options, folder });
    const page = readFileSync(join(folder, 'job_1.html'), 'utf8');
    tagsOf(page);
    expect(page).toContain('2 samples over 0.875 s');
    expect(page).toContain('<td>memory</td><td>3 MiB</td>');
    for (const [kind, name] of [
      ['peak', 'peak: 3 MiB'],
      ['limit', 'limit: 4 MiB'],
    ])
      expect(page).toMatch(new RegExp(`<line class="${kind}" [^>]*/><text [^>]*>${name}</text>`));
    // Marks of less than a second, each once.
    expect([...page.matchAll(/text-anchor="middle">([\d.]+ s)</g)].slice(0, 5).map(([, mark]) => mark)).toEqual([
      '0 s',
      '0.2 s',
      '0.4 s',
      '0.6 s',
      '0.8 s',
    ]);
    // Time begins with the job and not with the first sample.
    expect(page).toMatch(/<path class="line c0" d="M509\.7 /);
  });

  it('name a limit above its line, and below it at the upper edge, where the title is', () => {
    const nameOf = (limitBytes: number) => {
      const folder = temporaryFolder();
      const ended = { attempt: 1, from: 100, to: 103, peakBytes: 2 ** 20, limitBytes };
      drawPlots([metrics(folder, 'm.db', [[1, 101, 1, 2 ** 20]], [], [ended])], { ...options, folder });
      const page = readFileSync(join(folder, 'job_1.html'), 'utf8');
      const [, line, text] = /<line class="limit" [^>]*y2="([\d.]+)"\/><text [^>]*y="([\d.]+)"/.exec(page) ?? [];
      return { line: Number(line), text: Number(text) };
    };
    const middle = nameOf(0.5 * 2 ** 20);
    expect(middle.text).toBeLessThan(middle.line);
    const edge = nameOf(2 * 2 ** 20);
    expect(edge.text).toBeGreaterThan(edge.line);
  });

  it('plots state a limit far above the use in words, because its line would press the others upon the axis', () => {
    const folder = temporaryFolder();
    const ended = { attempt: 1, from: 100, to: 103, peakBytes: 2 ** 20, limitBytes: 2 ** 40 };
    drawPlots([metrics(folder, 'm.db', [[1, 101, 1, 2 ** 20]], [], [ended])], { ...options, folder });
    const page = readFileSync(join(folder, 'job_1.html'), 'utf8');
    expect(page).toContain('limit: 1 TiB, above this picture');
    expect(page).not.toContain('<line class="limit"');
  });

  it('plots have a line and a row for each attempt of a job that ran again', () => {
    const folder = temporaryFolder();
    const samples = [
      [1, 101, 1, 100],
      [1, 102, 1, 100],
      [1, 901, 1, 300],
      [1, 902, 1, 300],
    ];
    const ended = [
      { attempt: 1, from: 100, to: 103, peakBytes: 100 },
      { attempt: 2, from: 900, to: 903, peakBytes: 300 },
    ];
    drawPlots([metrics(folder, 'm.db', samples, [], ended)], { ...options, folder });
    const page = readFileSync(join(folder, 'job_1.html'), 'utf8');
    tagsOf(page);
    expect(page).toContain('4 samples over 6 s');
    expect(page.match(/<title>memory, attempt \d<\/title>/g)).toHaveLength(2);
    expect(page).toMatch(
      /<td>2<\/td><td>1970-01-01T00:15:00Z<\/td><td>3 s<\/td><td>90 %<\/td><td>300 B<\/td><td>–<\/td>/,
    );
  });

  it('plots of a file of an earlier version are drawn from its samples alone', () => {
    const folder = temporaryFolder();
    const path = metrics(folder, 'm.db', [[1, 100.5, 50, 100]], [[100, 1, 2]]);
    const db = new DatabaseSync(path);
    db.exec(`drop table job_attempts; alter table job_resource_samples drop column timestamp_ms;
      alter table system_resource_samples drop column timestamp_ms`);
    db.close();
    drawPlots([path], { folder, prefix: '', format: 'json' });
    expect(JSON.parse(readFileSync(join(folder, 'job_1.json'), 'utf8'))).toMatchObject({
      timestamps: [100],
      attempts: [],
      peak_memory_bytes: 100,
      duration_seconds: 0,
    });
  });

  it('plots of several files join a job that ran again elsewhere, and keep nodes apart', () => {
    const folder = temporaryFolder();
    const later = metrics(folder, 'b.db', [[1, 200, 1, 1]], [[200, undefined, 5]]);
    const sooner = metrics(folder, 'a.db', [[1, 100, 2, 2]], [[100, 7, 5]]);
    drawPlots([later, sooner], { folder, prefix: '', format: 'json' });
    const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
    expect(read('job_1.json')).toMatchObject({ timestamps: [100, 200], cpu_percent: [2, 1] });
    expect(read('system_timeline.json')).toMatchObject({
      systems: [
        { database: 'b.db', cpu_percent: [null], peak_cpu_percent: null },
        { database: 'a.db', cpu_percent: [7], peak_cpu_percent: 7 },
      ],
    });
  });

  it('plots leave the page of another program where it is, and take the place of their own', () => {
    const folder = temporaryFolder();
    const path = metrics(folder, 'm.db', [[1, 100, 1, 1]]);
    for (const _ of [1, 2]) expect(drawPlots([path], { ...options, folder }).paths).toHaveLength(3);
    writeFileSync(join(folder, 'index.html'), '<html>my own site</html>');
    expect(() => drawPlots([path], { ...options, folder })).toThrow(/index\.html is a page that torc did not make/);
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('my own site');
    expect(drawPlots([path], { ...options, folder, prefix: 'mine' }).paths[0]).toBe(join(folder, 'mine_index.html'));
  });

  it('plots are drawn of chosen jobs only, and those that are not there are named', () => {
    const folder = temporaryFolder();
    const path = metrics(folder, 'm.db', [
      [1, 100, 1, 1],
      [2, 100, 1, 1],
    ]);
    const { paths, missing } = drawPlots([path], { ...options, folder, jobIds: new Set([2, 9]) });
    expect(paths).toEqual(['index.html', 'job_2.html', 'summary.html'].map((name) => join(folder, name)));
    expect(missing).toEqual([9]);
  });

  it('plots are none of a file without samples, and refused of what is no such file', () => {
    const folder = temporaryFolder();
    expect(drawPlots([metrics(folder, 'm.db', [])], { ...options, folder }).paths).toEqual([]);
    expect(() => drawPlots([join(folder, 'none.db')], { ...options, folder })).toThrow(NoMetrics);
    writeFileSync(join(folder, 'other.db'), 'some text that is not a database, and long enough to be read as one');
    expect(() => drawPlots([join(folder, 'other.db')], { ...options, folder })).toThrow(
      /other\.db cannot be read as a file of measurements: .*not a database/,
    );
  });
});
