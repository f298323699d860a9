import { describe, expect, it } from 'vitest';
import { planned } from '../../../../tests/spec/reading.ts';

describe('the workflow of a plan', () => {
  it('the workflow of a plan has every setting of the file, and the wait that Torc sends by default', () => {
    const settings = {
      name: 'w',
      description: 'd',
      project: 'p',
      metadata: { a: [1] },
      env: { A: '1' },
      resource_monitor: { sample_interval_seconds: 5 },
      use_pending_failed: true,
      enable_ro_crate: true,
      access_groups: ['g'],
      dynamic_jobs: { max_iterations: 3 },
      slurm_defaults: { qos: 'high' },
      compute_node_ignore_workflow_completion: true,
      compute_node_wait_for_healthy_database_minutes: 5,
    };
    expect(planned({ ...settings, user: 'someone' }).workflow).toEqual({
      ...settings,
      compute_node_wait_for_new_jobs_seconds: 90,
    });
    expect(planned({ compute_node_wait_for_new_jobs_seconds: 0 }).workflow).toEqual({
      name: 'flow',
      compute_node_wait_for_new_jobs_seconds: 0,
    });
  });
});

describe('the jobs of a plan', () => {
  it('the jobs of a plan have the settings of the file, and no others', () => {
    const stdio = { mode: 'none' };
    const plan = planned({
      jobs: [
        { name: 'a', command: 'x' },
        {
          name: 'b',
          command: 'y',
          priority: 5,
          cancel_on_blocking_job_failure: false,
          supports_termination: true,
          failure_handler: 'h',
          scheduler: 's',
          stdio,
        },
      ],
      failure_handlers: [{ name: 'h', rules: [{ exit_codes: [1] }] }],
      slurm_schedulers: [{ account: 'nameless' }, { name: 's', account: 'a' }],
    });
    const nothing = new Int32Array();
    expect(plan.jobs.at(0)).toEqual({
      name: 'a',
      command: 'x',
      settings: {},
      dependsOn: nothing,
      inputFiles: nothing,
      outputFiles: nothing,
      inputUserData: nothing,
      outputUserData: nothing,
    });
    expect(plan.jobs.at(1)).toMatchObject({
      settings: { priority: 5, cancel_on_blocking_job_failure: false, supports_termination: true },
      failureHandler: 0,
      scheduler: 1,
      stdio,
    });
  });

  it('a plan knows which files are read, so that only these are checked on disk', () => {
    const plan = planned({
      jobs: [
        { name: 'a', command: 'x', input_files: ['f2'], output_files: ['f0'] },
        { name: 'b', command: 'x', input_file_regexes: ['^g'] },
      ],
      files: ['f0', 'f1', 'f2', 'g1', 'g2'].map((name) => ({ name, path: name, st_mtime: name === 'f2' ? 1.5 : null })),
    });
    expect([...plan.consumedFiles()]).toEqual([2, 3, 4]);
    expect(plan.files.at(2)).toEqual({ name: 'f2', path: 'f2', fate: {}, identifier: undefined, stMtime: 1.5 });
  });
});
