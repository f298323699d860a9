import { expect, it } from 'vitest';
import type { ResourceRequirements } from '../contract/resources.ts';
import type { Job } from '../contract/job.ts';
import type { Result } from '../contract/result.ts';
import { usedJobsOf } from '../lifecycle/resources/used-jobs.ts';
import { comparison, type ComparedSide } from './compare.ts';
import { comparisonDocument } from './compare-document.ts';
import { htmlOf } from './html.ts';
import { markdownOf } from './markdown.ts';

type Ended = readonly [name: string, seconds: number | undefined, megabytes: number, status?: 'completed' | 'failed'];

const two = (value: number) => String(Math.floor(value)).padStart(2, '0');

function sideOf(
  workflowId: number,
  ended: readonly Ended[],
  more: { memory?: string; files?: Record<string, string> } = {},
) {
  const requirements = {
    id: 5,
    workflow_id: 1,
    name: 'small',
    num_cpus: 1,
    memory: more.memory ?? '1g',
    runtime: 'PT1H',
  };
  const results = ended.flatMap(([name, seconds, megabytes, status = 'completed'], at) =>
    seconds === undefined
      ? []
      : [
          {
            id: at + 1,
            job_id: at + 1,
            job_name: name,
            status,
            return_code: status === 'completed' ? 0 : 1,
            exec_time_minutes: seconds / 60,
            completion_time: `2026-03-01T12:${two(seconds / 60)}:${two(seconds % 60)}Z`,
            peak_memory_bytes: megabytes * 2 ** 20,
          } as Result,
        ],
  );
  const jobs = ended.map(([name], at) => ({ id: at + 1, name, resource_requirements_id: 5 }) as Job);
  return {
    workflowId,
    runId: 1,
    name: `flow_${workflowId}`,
    jobs: usedJobsOf({ jobs, results, requirements: [requirements as ResourceRequirements], execution: undefined }),
    files: Object.entries(more.files ?? {}).map(([name, path]) => ({ name, path })),
  } satisfies ComparedSide;
}

it('two workflows are compared by families: what changed most in time stands first, and what is alike is no difference', () => {
  const compared = comparison([
    sideOf(
      1,
      [
        ['a_1', 10, 100],
        ['a_2', 30, 300],
        ['same', 5, 50],
      ],
      { files: { in: 'in.txt', out: 'out.txt', old: 'o' } },
    ),
    sideOf(
      2,
      [
        ['a_1', 20, 100],
        ['a_2', 60, 300, 'failed'],
        ['same', 5, 50],
        ['extra', 1, 10],
      ],
      {
        memory: '2g',
        files: { in: 'in.txt', out: 'new/out.txt' },
      },
    ),
  ]);
  expect(compared.sides).toMatchObject([
    { jobs: 3, failed: 0, wall_seconds: 30, execution_seconds: 45 },
    { jobs: 4, failed: 1, wall_seconds: 60, execution_seconds: 86 },
  ]);
  expect(compared.families).toMatchObject([
    {
      name: 'a_#',
      median_seconds: [20, 40],
      max_seconds: [30, 60],
      not_completed: [0, 1],
      max_memory_bytes: [300 * 2 ** 20, 300 * 2 ** 20],
      requirements: [['1 CPU, 1g, PT1H'], ['1 CPU, 2g, PT1H']],
    },
    { name: 'extra', jobs: [0, 1], median_seconds: [null, 1] },
    { name: 'same', median_seconds: [5, 5] },
  ]);
  expect(compared.files).toEqual({
    only_in: [['old'], []],
    other_path: [{ name: 'out', paths: ['out.txt', 'new/out.txt'] }],
    left_out: 0,
  });
  const text = markdownOf(comparisonDocument(compared));
  expect(text).toContain('| a\\_\\# | 2 → 2 | 0 → 1 | 20.0s → 40.0s | +100 % | 30.0s → 1m 00s |');
  expect(text).toContain('| out | out.txt → new/out.txt |');
});

it('a run in which a job did not run says nothing of it, and an empty workflow can be compared', () => {
  const compared = comparison([sideOf(1, [['a', 10, 100]]), { ...sideOf(1, [['a', undefined, 0]]), runId: 2 }]);
  expect(compared.families).toMatchObject([{ name: 'a', ended: [1, 0], median_seconds: [10, null] }]);
  expect(comparisonDocument(compared).title).toBe('flow_1 (workflow 1): run 1 and run 2');
  expect(comparison([sideOf(1, []), sideOf(2, [])]).families).toEqual([]);
});

it('names in a comparison are text, and long lists end', () => {
  const many = Array.from({ length: 60 }, (_, at): Ended => [`<script>${'x'.repeat(at)}`, at, 1]);
  const compared = comparison([sideOf(1, many), sideOf(2, [])]);
  expect([compared.families.length, compared.families_left_out]).toEqual([50, 10]);
  const html = htmlOf(comparisonDocument(compared));
  expect(html).not.toContain('<script');
  expect(html).toContain('10 more families not shown');
});
