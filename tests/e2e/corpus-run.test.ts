import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { leftResults } from '../support/standalone.ts';

// Torc's own example files are not ours to keep; where they are beside the repository, this runs as well.
const CORPUS = join(import.meta.dirname, '../../../shared/corpus/torc-examples');

/** A folder as the examples expect it, with a `sleep` that takes no time and a `python` that says what it was asked. */
function workplace(): { cwd: string; environment: Record<string, string> } {
  const cwd = temporaryFolder();
  symlinkSync(CORPUS, join(cwd, 'examples'));
  const programs = join(cwd, 'programs');
  mkdirSync(programs);
  for (const [name, text] of [
    ['sleep', 'exit 0'],
    ['python', 'echo python "$@"'],
  ] as const) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  return { cwd, environment: { PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` } };
}

describe.skipIf(!existsSync(CORPUS))('files of the original that need nothing but a shell run to their end', () => {
  it.each([
    ['yaml/hundred_jobs_parameterized.yaml', 100],
    ['json/hundred_jobs_parameterized.json5', 100],
    ['kdl/hundred_jobs_parameterized.kdl', 101],
    ['json/hundred_jobs_workflow.json5', 100],
    ['yaml/stdio_configuration.yaml', 4],
    ['yaml/chained_allocations.yaml', 4],
    ['yaml/workflow_actions_simple.yaml', 3],
    ['json/workflow_actions_simple.json5', 3],
    ['kdl/workflow_actions_simple.kdl', 3],
    ['yaml/parameterized_from_csv.yaml', 4],
    ['yaml/parameterized_user_data.yaml', 3],
    ['slurm-tests/cancel_workflow.yaml', 3],
    ['slurm-tests/single_node_basic.yaml', 3],
    ['slurm-tests/sync_status.yaml', 3],
  ])('%s: %i jobs', async (file, jobs) => {
    const { cwd, environment } = workplace();
    const ran = await torc(
      ['-s', 'run', `examples/${file}`, '--skip-checks', '--num-cpus', '64', '--memory-gb', '256'],
      {
        cwd,
        environment,
      },
    );
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(`: ${jobs} jobs completed in `)]);
    expect((await leftResults(cwd)).map(({ status, return_code: code }) => `${status} ${code}`)).toEqual(
      Array(jobs).fill('completed 0'),
    );
  });

  it('yaml/stdio_configuration.yaml keeps the output that it says, and nothing else', async () => {
    const { cwd, environment } = workplace();
    await torc(['-s', 'run', 'examples/yaml/stdio_configuration.yaml', '--skip-checks'], { cwd, environment });
    const stdio = join(cwd, 'torc_output/job_stdio');
    expect(readdirSync(stdio).sort()).toEqual(['job_wf1_j3_r1_a1.e', 'job_wf1_j3_r1_a1.o']);
    expect(readFileSync(join(stdio, 'job_wf1_j3_r1_a1.e'), 'utf8')).toContain('WARNING: 12 outliers detected');
  });

  it('yaml/labeled_jobs.yaml needs its labelled runner, and then both finish it', async () => {
    const { cwd, environment } = workplace();
    const server = await startServer(cwd);
    await torc(['--url', server.url, 'create', 'examples/yaml/labeled_jobs.yaml', '--skip-checks'], { cwd });
    await torc(['--url', server.url, 'workflows', 'init', '1'], { cwd });
    const runs = await Promise.all(
      [
        ['--label', 'windows,gpu', '--persistent', '-o', 'labelled'],
        ['-o', 'plain'],
      ].map((more) => torc(['--url', server.url, 'run', '1', ...more], { cwd, environment })),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const { jobs_by_status: counts } = await server.client.getWorkflowStatus({ params: { id: 1 } });
    expect(counts.completed).toBe(6);
  });
});
