import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

const program = `'${process.execPath}' '${join(programFolder(), 'torc.mjs')}'`;

/** A job that adds the next generation of itself, and the fourth one ends the lineage. */
const step = (report: string) => `
number=\${TORC_JOB_NAME#loop}
echo "$TORC_JOB_NAME \${TORC_ORCHESTRATOR_LINEAGE_ID:-none}" >> said
next=$((number + 1))
if test $next -le 3
then body='{"jobs": [{"name": "loop'$next'", "command": "bash step.sh"}], "lineage": "loop"}'
else body='{"jobs": [], "lineage": "loop", "state": {"last": '$number'}}'
fi
echo "$body" | ${report}
`;

it.each([
  [
    'curl',
    'curl -sS --fail-with-body -d @- -H "Content-Type: application/json" "$TORC_API_URL/jobs/$TORC_JOB_ID/spawn_jobs"',
  ],
  ['torc jobs spawn', `${program} jobs spawn -`],
])('a job adds jobs with %s, and they add more: three generations after it', async (_, report) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'step.sh'), step(report));
  const path = join(folder, 'flow.yaml');
  writeFileSync(path, 'name: loop\njobs: [{name: loop, command: bash step.sh}]\n');
  const { url, client } = await startServer(folder);
  const { code, stderr } = await torc(['--url', url, 'run', path], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.stringContaining('4 jobs completed')]);
  expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('loop none\nloop1 loop\nloop2 loop\nloop3 loop\n');
  const { items } = await client.listJobs({ query: { workflow_id: 1 } });
  expect(items.map(({ name, origin }) => [name, origin])).toEqual([
    ['loop', undefined],
    ['loop1', 'spawn'],
    ['loop2', 'spawn'],
    ['loop3', 'spawn'],
  ]);
  const kept = await client.listUserData({ query: { workflow_id: 1, name: '__torc_lineage__loop__final' } });
  expect(kept.items).toMatchObject([{ data: { generation: 3, final: true, state: { last: 3 } } }]);
});

it('torc jobs spawn says what it needs, and what was added', async () => {
  const folder = temporaryFolder();
  const { url } = await startServer(folder);
  const spawn = (input: string, options: readonly string[] = [], environment = {}) =>
    torc(['--url', url, 'jobs', 'spawn', '-', ...options], { cwd: folder, input, environment });
  const outside = await spawn('[]');
  expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('which job adds them?')]);
  const broken = await spawn('[', [], { TORC_JOB_ID: '1' });
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('- is not valid JSON')]);
  const other = await spawn('{"name": "a"}', ['--job-id', '1']);
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('expected a list of jobs, or an object')]);

  const path = join(folder, 'flow.yaml');
  writeFileSync(
    path,
    `name: adds\njobs: [{name: adder, command: "echo '[{\\"name\\": \\"a\\", \\"command\\": \\"true\\"}]' | ${program.replaceAll("'", '')} -f json jobs spawn -"}]\n`,
  );
  await torc(['--url', url, 'run', path], { cwd: folder });
  expect(JSON.parse(readFileSync(join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8'))).toEqual({
    spawned_job_ids: [2],
    iteration: 1,
  });
  const late = await spawn('[{"name": "b", "command": "true"}]', ['--job-id', '1']);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('requires the calling job to be Running')]);
});
