import { expect, test } from 'vitest';
import { parseRecordedJobs } from '../../src/cluster/slurm/sacct.ts';

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
