import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { node, server, id, jobs, call, json, finish, folder } from '../support/flows/chain.ts';

/** What families of jobs used and should ask for. */
const figures = { families: expect.any(Array), core_hours: expect.any(Object), rule: expect.any(Object) };

describe('workflows check-resources', () => {
  beforeEach(async () => {
    await json('workflows', 'init', id);
    await finish('first', 0, { peak_memory_bytes: 6 * 2 ** 30, peak_cpu_percent: 350, exec_time_minutes: 15 });
    await finish('second', 1, { peak_memory_bytes: 5 * 2 ** 30, exec_time_minutes: 29 });
  });
  const over = (resource: string, specified: string, used: string, how: string, name = 'first') => ({
    job_id: jobs[name],
    job_name: name,
    resource_type: resource,
    specified,
    peak_used: used,
    over_utilization: how,
  });

  it('workflows check-resources says what was used beyond what was asked for, of jobs that succeeded', async () => {
    expect(await json('workflows', 'check-resources', id)).toEqual({
      ...figures,
      workflow_id: id,
      total_results: 1,
      over_utilization_count: 2,
      violations: [over('Memory', '4g', '6.0 GB', '+50.0%'), over('CPU', '200%', '350.0%', '+75.0%')],
    });
    expect((await call('-f', 'csv', 'workflows', 'check-resources', id)).stdout).toBe(
      [
        'Job ID,Job Name,Resource,Specified,Peak Used,Utilization',
        `${jobs['first']},first,Memory,${4 * 2 ** 30},${6 * 2 ** 30},50`,
        `${jobs['first']},first,CPU,200,350,75`,
        '',
      ].join('\n'),
    );
  });

  it('workflows check-resources leaves out what is hardly more, and with --all shows what had room', async () => {
    expect(await json('workflows', 'check-resources', id, '--all', '--min-over-utilization', 60)).toMatchObject({
      violations: [over('CPU', '200%', '350.0%', '+75.0%')],
      within_limits: [over('Memory', '4g', '6.0 GB', '+50.0%'), over('Runtime', 'PT30M', '15m 00s', '-50.0%')],
    });
  });

  it('workflows check-resources of jobs that failed says what they probably lacked, where that is asked for', async () => {
    const found = await json('workflows', 'check-resources', id, '--include-failed');
    expect(found).toMatchObject({ total_results: 2, over_utilization_count: 3, resource_violations_count: 1 });
    expect(found['resource_violations']).toEqual([
      {
        job_id: jobs['second'],
        job_name: 'second',
        return_code: 1,
        exec_time_minutes: 29,
        configured_memory: '4g',
        configured_runtime: 'PT30M',
        configured_cpus: 2,
        peak_memory_bytes: 5 * 2 ** 30,
        peak_memory_formatted: '5.0 GB',
        memory_violation: true,
        oom_reason: 'memory_exceeded',
        memory_over_utilization: '+25.0%',
        likely_timeout: true,
        runtime_utilization: '96.7%',
      },
    ]);
  });

  it('workflows check-resources of another run looks at the results of that run', async () => {
    await json('workflows', 'init', id);
    expect(await json('workflows', 'check-resources', id)).toMatchObject({ total_results: 0, violations: [] });
    expect((await call('workflows', 'check-resources', id)).stdout).toMatch(/^No job of workflow \d+ used more/);
    expect(await json('workflows', 'check-resources', id, '-r', 1)).toMatchObject({
      run_id: 1,
      over_utilization_count: 2,
    });
  });
});

describe('workflows correct-resources', () => {
  const needs = async () => {
    const { items } = await server.client.listResourceRequirements({ query: { workflow_id: id, name: 'small' } });
    return items[0];
  };
  const needsOf = async (name: string) => {
    const { resource_requirements_id: of } = await server.client.getJob({ params: { id: jobs[name] as number } });
    return server.client.getResourceRequirements({ params: { id: of as number } });
  };
  const report = (more: object) => ({
    status: 'success',
    workflow_id: id,
    dry_run: false,
    no_downsize: false,
    memory_multiplier: 1.2,
    cpu_multiplier: 1.2,
    runtime_multiplier: 1.2,
    resource_requirements_updated: 0,
    jobs_analyzed: 2,
    memory_corrections: 0,
    cpu_corrections: 0,
    runtime_corrections: 0,
    downsize_memory_corrections: 0,
    downsize_cpu_corrections: 0,
    downsize_runtime_corrections: 0,
    adjustments: [],
    ...figures,
    ...more,
  });
  const small = (more: object) => ({
    resource_requirements_id: expect.any(Number),
    resource_requirements_name: 'small',
    memory_adjusted: false,
    cpu_adjusted: false,
    runtime_adjusted: false,
    ...more,
  });

  beforeEach(() => json('workflows', 'init', id));

  it('workflows correct-resources asks for more where a job lacked something; a dry run only says so', async () => {
    await finish('first', 0, { peak_memory_bytes: 5 * 2 ** 30, peak_cpu_percent: 100, exec_time_minutes: 45 });
    await finish('second', 0, { peak_memory_bytes: 2 ** 30, avg_cpu_percent: 150 });
    const grown = report({
      resource_requirements_updated: 1,
      memory_corrections: 1,
      runtime_corrections: 1,
      adjustments: [
        small({
          direction: 'upscale',
          new_resource_requirements_name: 'small_6g_PT54M',
          job_ids: [jobs['first']],
          job_names: ['first'],
          memory_adjusted: true,
          original_memory: '4g',
          new_memory: '6g',
          runtime_adjusted: true,
          original_runtime: 'PT30M',
          new_runtime: 'PT54M',
        }),
      ],
    });
    const before = await needs();
    expect(await json('workflows', 'correct-resources', id, '--dry-run')).toEqual({ ...grown, dry_run: true });
    expect(await needs()).toEqual(before);
    expect(await json('workflows', 'correct-resources', id)).toEqual(grown);
    expect(await needs()).toEqual(before);
    expect(await needsOf('first')).toMatchObject({
      name: 'small_6g_PT54M',
      num_cpus: 2,
      memory: '6g',
      runtime: 'PT54M',
    });
    expect(await needsOf('second')).toEqual(before);
    expect(await json('workflows', 'correct-resources', id)).toMatchObject({
      adjustments: [],
      nothing_because: expect.stringContaining('too little: 3 are needed'),
    });
  });

  it('workflows correct-resources asks for less where much was left, unless that is not wanted', async () => {
    const { id: resource_requirements_id } = (await needs()) as { id: number };
    const third = { workflow_id: id, name: 'third', command: 'true', resource_requirements_id };
    jobs['third'] = (await server.client.createJob({ body: third })).id as number;
    await json('workflows', 'init', id);
    for (const name of ['first', 'second', 'third'])
      await finish(name, 0, { peak_memory_bytes: 2 ** 30, peak_cpu_percent: 50, exec_time_minutes: 29 });
    expect(await json('workflows', 'correct-resources', id, '--no-downsize')).toMatchObject({
      no_downsize: true,
      adjustments: [],
    });
    expect(await json('workflows', 'correct-resources', id, '--memory-multiplier', '1.5')).toEqual(
      report({
        memory_multiplier: 1.5,
        resource_requirements_updated: 1,
        jobs_analyzed: 3,
        downsize_memory_corrections: 3,
        downsize_cpu_corrections: 3,
        adjustments: [
          small({
            direction: 'downscale',
            job_ids: [jobs['first'], jobs['second'], jobs['third']],
            job_names: ['first', 'second', 'third'],
            memory_adjusted: true,
            original_memory: '4g',
            new_memory: '2g',
            cpu_adjusted: true,
            original_cpus: 2,
            new_cpus: 1,
          }),
        ],
      }),
    );
    expect(await needs()).toMatchObject({ memory: '2g', num_cpus: 1, runtime: 'PT30M', num_nodes: 1 });
  });

  it('the page gets each part of a split, the ones with requirements of their own first', async () => {
    await finish('first', 0, { peak_memory_bytes: 5 * 2 ** 30 });
    await finish('second', 0, { peak_memory_bytes: 7 * 2 ** 30 });
    const { classes } = await server.client.getResourceUse({ params: { id } });
    expect(classes.find(({ name }) => name === 'small')).toMatchObject({
      suggestion: { only_family: 'second', memory: '9g' },
      suggestions: [
        { direction: 'upscale', only_family: 'second', memory: '9g' },
        { direction: 'upscale', memory: '6g' },
      ],
    });
  });

  it('workflows correct-resources --apply shows what it writes into the workflow file, and needs a yes', async () => {
    const file = join(folder, 'copy.yaml');
    const text = readFileSync(join(folder, 'flow.yaml'), 'utf8');
    writeFileSync(file, text);
    await finish('first', 0, { peak_memory_bytes: 5 * 2 ** 30 });
    const before = await needs();
    const unasked = await call('workflows', 'correct-resources', id, '--apply', file);
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining('Nothing was changed. Use --yes')]);
    expect([readFileSync(file, 'utf8'), await needsOf('first')]).toEqual([text, before]);
    expect(await json('workflows', 'check-resources', id, '--apply', file, '--yes')).toMatchObject({
      file_changed: true,
      file_diff: expect.arrayContaining([
        '+  - {name: first, command: "true # ${files.input.given} ${files.output.made}", resource_requirements: small_6g_PT30M}',
      ]),
    });
    // Only the file: the workflow follows with correct-resources, which finds the file as it will be.
    expect(await needsOf('first')).toEqual(before);
    expect(await json('workflows', 'correct-resources', id, '--apply', file, '--yes')).toMatchObject({ file_diff: [] });
    expect(await needsOf('first')).toMatchObject({ name: 'small_6g_PT30M', memory: '6g' });
    expect(readFileSync(file, 'utf8')).not.toBe(text);
  });

  it('workflows correct-resources --apply refuses a file that is another than that of the workflow, and changes nothing', async () => {
    const file = join(folder, 'other.yaml');
    writeFileSync(file, readFileSync(join(folder, 'flow.yaml'), 'utf8').replace('memory: 4g', 'memory: 8g'));
    await finish('first', 0, { peak_memory_bytes: 5 * 2 ** 30 });
    const before = await needsOf('first');
    const refused = await call('workflows', 'correct-resources', id, '--apply', file, '--yes');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /other\.yaml:\d+:\d+: small asks for 2 CPUs, 8g, PT30M; in the workflow it asks for 2 CPUs, 4g, PT30M/,
      ),
    ]);
    expect(await needsOf('first')).toEqual(before);
  });

  it('workflows correct-resources looks at chosen jobs only, and refuses ids of others', async () => {
    await finish('first', 0, { peak_memory_bytes: 5 * 2 ** 30 });
    await finish('alone', 3, { exec_time_minutes: 0.1 });
    expect(await json('workflows', 'correct-resources', id, '--job-ids', jobs['alone'])).toEqual(
      report({ jobs_analyzed: 1, nothing_because: 'they asked for nothing, and nothing limits them' }),
    );
    const { code, stdout, stderr } = await call('workflows', 'correct-resources', id, '--job-ids', '999999');
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`workflow ${id} has no job 999999`)]);
    expect((await call('workflows', 'correct-resources', id, '--cpu-multiplier', '0')).code).toBe(2);
  });
});

describe('workflows diagnose', () => {
  it('workflows diagnose counts ready jobs that are longer than any runner has time for', async () => {
    await json('workflows', 'init', id);
    const end = new Date(Date.now() + 600_000).toISOString();
    await server.client.createComputeNode({ body: { ...node(), is_active: true, end_time: end } });
    const found = await json('workflows', 'diagnose', id);
    expect(found).toEqual({
      workflow_id: id,
      active_allocations: 1,
      allocations_with_walltime: 1,
      allocations_unlimited: 0,
      has_unlimited_allocation: false,
      ready_jobs: 2,
      ready_jobs_with_runtime: 2,
      allocation_remaining: {
        count: 1,
        min_seconds: expect.any(Number),
        median_seconds: expect.any(Number),
        max_seconds: expect.any(Number),
      },
      ready_job_runtime: { count: 2, min_seconds: 60, median_seconds: 930, max_seconds: 1800 },
      unrunnable_jobs: 0,
      unrunnable_reasons: [],
      runtime_blocked_jobs: 1,
      allocations_too_short_for_longest: 1,
      runtime_blocked: true,
    });
    expect((await call('workflows', 'diagnose', id)).stdout).toContain('1 ready job is longer than the remaining time');
    await server.client.createComputeNode({ body: { ...node(), is_active: true } });
    expect(await json('workflows', 'diagnose', id)).toMatchObject({
      has_unlimited_allocation: true,
      runtime_blocked_jobs: 0,
      runtime_blocked: false,
    });
  });
});
