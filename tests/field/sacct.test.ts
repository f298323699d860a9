import { expect, test } from 'vitest';
import { accountedEnd, parseAccountedJobs, parseRecordedJobs } from '../../src/cluster/slurm/sacct.ts';
import { parseSacct, SACCT_FIELDS } from '../../src/telemetry/produce/slurm/sacct.ts';

/** Rows of `sacct -P -n -o JobID,JobName,State,ExitCode,Elapsed,End,MaxRSS,JobIDRaw`, by release: the end of the step "a". */

/** Release and what the step did, ExitCode and State as printed, and exit code and signal. 22.05.8 cuts exit codes to seven bits. */
const ENDS: readonly (readonly [string, string, string, number, number])[] = [
  ['22.05.8: exit 7', 'FAILED', '7:0', 7, 0],
  ['22.05.8: exit 200', 'FAILED', '72:0', 72, 0],
  ['22.05.8: exit 255', 'FAILED', '127:0', 127, 0],
  ['22.05.8: kill -9 $$', 'CANCELLED', '0:9', 0, 9],
  ['26.05.3: exit 7', 'FAILED', '7:0', 7, 0],
  ['26.05.3: exit 200', 'FAILED', '200:0', 200, 0],
  ['26.05.3: exit 255', 'FAILED', '255:0', 255, 0],
  ['26.05.3: kill -9 $$', 'CANCELLED', '0:9', 0, 9],
  ['26.05.3: over its memory, by polling', 'CANCELLED by 0', '0:9', 0, 9],
  ['26.05.3: its node failed', 'CANCELLED', '', 0, 0],
];

test.each(ENDS)('%s is %s %s', (_, state, printed, exitCode, signal) => {
  const row = `15.0|a|${state}|${printed}|00:00:01|2026-11-28T19:30:00||15.0\n`;
  const step = parseRecordedJobs(row).steps.get('a');
  expect(step).toMatchObject({ slurmJobId: 15, state: state.split(' ')[0], exitCode, signal });
});

/** 26.05.3: `scontrol update JobId=6 NumNodes=1` in a job of two nodes. */
const RESIZED = `6|rs.sh|RESIZING|0:0|00:00:01|2026-11-29T11:29:16||6
6.batch|batch|COMPLETED|3:0|00:00:20|2026-11-29T11:29:35||6.batch
6|rs.sh|FAILED|3:0|00:00:19|2026-11-29T11:29:35||6
`;

test('a job that was resized is one job in its last state, with the time of all its sizes', async () => {
  const last = { jobId: 6, state: 'ended', word: 'FAILED', seconds: 20, rawId: 6 };
  expect(parseAccountedJobs(RESIZED)).toEqual([last]);
  expect([...parseRecordedJobs(RESIZED).jobs.values()]).toEqual([last]);
  expect(await accountedEnd(() => Promise.resolve(RESIZED), 6)).toMatchObject({ word: 'FAILED', exitCode: 3 });
});

test('a job that was resized is one record of telemetry, in whatever order its rows come', () => {
  const row = (state: string, nodes: string) => {
    const values: Record<string, string> = { JobID: '6', JobIDRaw: '6', State: state, NodeList: nodes, JobName: 'rs' };
    return SACCT_FIELDS.map((field) => values[field] ?? '').join('|');
  };
  const rows = [row('RESIZING', 'n[1-3]'), row('RESIZING', 'n[1-2]'), row('RUNNING', 'n1')];
  const read = (lines: readonly string[]) =>
    parseSacct(lines.join('\n'), { timeOf: () => undefined, separator: '|', onProblem() {} });
  for (const order of [rows, rows.toReversed()])
    expect(read(order)).toMatchObject([{ job_id: 6, job_state: 'RUNNING', nodes: ['n1'] }]);
  expect(read(rows.slice(0, 2))).toMatchObject([{ job_state: 'RESIZING', nodes: ['n[1-2]'] }]);
});
