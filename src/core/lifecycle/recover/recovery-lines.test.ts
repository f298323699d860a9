import { describe, expect, it } from 'vitest';
import { attemptLine, type Fixes, fixesLines, fixesOf, noneLine, summaryLines } from './recovery-lines.ts';
import { planRecovery, type Why } from './recovery.ts';

const CAUSES: readonly Why[] = ['memory', 'memory', 'time', 'lost', 'not_found', 'unknown', 'dependency'];
const jobs = CAUSES.map((why, id) => ({ id, why }));

// What Torc 1.0.0 printed for workflows that failed in these ways.
describe('the lines of a recovery', () => {
  it('the fixes of a recovery are counted by cause, and a job with an unknown one is skipped unless it is retried', () => {
    const fixes = { oom: 2, timeout: 1, lost: 1 };
    const skipping = fixesOf(planRecovery(jobs, { retriesUnknown: false }));
    expect(skipping).toEqual({ ...fixes, unknown: 0, skipped: 2, explained: 1 });
    expect(fixesOf(planRecovery(jobs, { retriesUnknown: true }))).toEqual({
      ...fixes,
      unknown: 2,
      skipped: 0,
      explained: 0,
    });
  });

  it('the number of an attempt has the highest one behind it where there is one', () => {
    expect(attemptLine(1, undefined)).toBe('Attempting automatic recovery (attempt 1)');
    expect(attemptLine(2, 3)).toBe('Attempting automatic recovery (attempt 2/3)');
  });

  const fixes: Fixes = { oom: 2, timeout: 1, lost: 0, unknown: 0, skipped: 0 };

  it('watch says how many jobs got more memory and time, and how many were skipped', () => {
    expect(fixesLines(fixes)).toEqual(['  Applied fixes: 2 OOM, 1 timeout']);
    expect(fixesLines({ ...fixes, skipped: 1 })[1]).toBe(
      '  1 job(s) with unknown failure cause (skipped, use --retry-unknown to include)',
    );
    expect(noneLine({ ...fixes, skipped: 2 })).toMatch(/^No auto-recoverable jobs found\. 2 job\(s\) failed with/);
  });

  it('jobs whose cause is known, and printed beside, are not said to have unknown ones', () => {
    const known = { ...fixes, skipped: 2, explained: 1 };
    expect(noneLine(known)).toBe(
      'No auto-recoverable jobs found. 2 job(s) failed for causes that a repetition does not change. Use --retry-unknown to retry them all the same.',
    );
  });

  it('watch does not say of a job that it skips for a cause that is known that this is unknown', () => {
    expect(fixesLines({ ...fixes, skipped: 3, explained: 2 }).slice(1)).toEqual([
      '  1 job(s) with unknown failure cause (skipped, use --retry-unknown to include)',
      '  2 job(s) with a cause that a repetition does not change (skipped, use --retry-unknown to include)',
    ]);
    expect(fixesLines({ ...fixes, skipped: 2, explained: 2 })).toHaveLength(2);
  });

  it('recover ends with what it did, or would do', () => {
    const done = { workflowId: 7, fixes: { ...fixes, unknown: 1 }, reset: 4, isDryRun: false, next: undefined };
    expect(summaryLines(done)).toEqual([
      'Recovery complete for workflow 7',
      '  - 2 job(s) had memory increased',
      '  - 1 job(s) had runtime increased',
      '  - 1 job(s) with unknown failures reset',
      'Reset 4 job(s). Slurm schedulers regenerated and submitted.',
    ]);
    expect(summaryLines({ ...done, isDryRun: true })).toEqual([
      '[DRY RUN] Summary for workflow 7',
      '  - 2 job(s) would have memory increased',
      '  - 1 job(s) would have runtime increased',
      '  - 1 job(s) with unknown failures would be reset',
      'Would reset 4 job(s) and regenerate Slurm schedulers.',
    ]);
    expect(summaryLines({ ...done, system: 'PBS' }).at(-1)).toBe(
      'Reset 4 job(s). PBS schedulers regenerated and submitted.',
    );
    const local = { ...done, fixes: { ...fixes, oom: 0, timeout: 0 }, reset: 1, next: 'torc run 7' };
    expect(summaryLines(local).slice(1)).toEqual(['Reset 1 job(s) for retry.']);
    expect(summaryLines({ ...local, isDryRun: true }).slice(1)).toEqual([
      "Would reset 1 job(s); re-run with 'torc run 7'.",
    ]);
  });
});
