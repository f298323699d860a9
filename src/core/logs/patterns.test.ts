import { describe, expect, it } from 'vitest';
import { findInLog, findInSlurmLog, nodeIn, slurmJobIn, slurmPatterns } from './patterns.ts';

describe('lines of Slurm', () => {
  it.each([
    ['slurmstepd: error: *** JOB 9 ON n1 CANCELLED AT 2026 DUE TO TIME LIMIT ***', 'Slurm step daemon error'],
    ['slurmstepd: error: Detected 1 oom-kill event(s) in StepId=9.0', 'OOM killer terminated process'],
    ['slurmstepd: error: StepId=9.0 exceeded memory limit (300 > 100), being killed', 'Exceeded job memory limit'],
    [
      '[2026-11-28T19:29:54.425] error: StepId=62.3 exceeded memory limit (3 > 1), being killed',
      'Exceeded job memory limit',
    ],
    ['[2026-11-28T19:32:55.028] error: Exceeded job memory limit', 'Exceeded job memory limit'],
    [
      '[2026-11-28T19:34:05.009] error: *** STEP 9.0 ON n1 CANCELLED AT 2026 DUE TO TIME LIMIT ***',
      'Job terminated due to time limit',
    ],
    ['[2026-11-28T19:32:55.028] error: StepId=9.0 is not found', 'Slurm step daemon error'],
    ['slurmstepd: error: Detected 1 oom_kill event in StepId=9.0.', 'OOM killer terminated process'],
    ['Memory cgroup out of memory: Killed process 7', 'Out of memory error'],
    ['CUDA out of memory. Tried to allocate', 'Out of memory error'],
    ['*** JOB 9 CANCELLED AT 2026 ***', 'Job was cancelled'],
    ['the upload failed', 'Job failed'],
    ['cp: write error: No space left on device', 'Disk full'],
    ['bash: line 1: 77 Segmentation fault (core dumped)', 'Segmentation fault'],
    ['Traceback (most recent call last):', 'Python traceback'],
    ['numpy.core._exceptions._ArrayMemoryError: MemoryError', 'Python memory error'],
    ['cat: x.txt: No such file or directory', 'File not found'],
    ['MPI_ABORT was invoked on rank 3', 'MPI error'],
    ['bash: ./run.sh: Permission denied', 'Permission denied'],
  ])('%s', (text, label) => {
    expect(findInSlurmLog(text, false)?.label).toBe(label);
  });

  it('lines of Slurm are warnings where the job was canceled, and then not looked for among errors', () => {
    expect(findInSlurmLog('*** JOB 9 CANCELLED ***', false)?.severity).toBe('warning');
    expect(findInSlurmLog('*** JOB 9 CANCELLED ***', true)).toBeUndefined();
    expect(findInSlurmLog('all is well', false)).toBeUndefined();
    // Programs print their errors so, too.
    expect(findInSlurmLog('[2026-11-28T19:32:55.028] error: line 7 is empty', false)).toBeUndefined();
    // The case of words of Python counts.
    expect(findInSlurmLog('traceback (most recent call last)', false)).toBeUndefined();
  });

  it('name their job and node, and every finding has a remedy', () => {
    expect(slurmJobIn('error: StepId=12.3 on n4')).toBe('12.3');
    expect(slurmJobIn('Submitted batch job 77')).toBe('77');
    expect(slurmJobIn('nothing')).toBeUndefined();
    expect(nodeIn('slurmstepd: error on node17: x')).toBe('node17');
    expect(slurmPatterns.filter(({ remedy }) => remedy.length < 10)).toEqual([]);
  });
});

describe('lines of any log', () => {
  it.each([
    ['slurmstepd: error: *** JOB 9 CANCELLED DUE TO TIME LIMIT ***', 'Slurm Error'],
    ['Out of memory: killed process 1', 'OOM Killed'],
    ['Job timed out after 10m', 'Timeout'],
    ['timeout', 'Slurm Error'],
    ['Segmentation fault (core dumped)', 'Segmentation Fault'],
    ['[ERROR] real error', 'Generic Error'],
    ['expected output files are missing: a.txt', 'Missing Output Files'],
    [`thread 'main' panicked at x`, 'Rust Panic'],
    ['INFO job killed', 'OOM Killed'],
  ])('%s', (text, label) => {
    expect(findInLog(text)?.label).toBe(label);
  });

  it.each([
    'INFO torc_slurm_job_runner started',
    '[INFO] This is an error',
    'groomed output',
    'timeout_value is 10',
    'segmented',
  ])('%s is no failure', (text) => {
    expect(findInLog(text)).toBeUndefined();
  });
});

it.each([
  ['=>> PBS: job killed: walltime 7 exceeded limit 5', 'Job terminated due to time limit', 'Timeout'],
  ['=>> PBS: job killed: cput 61 exceeded limit 60', 'Job terminated due to time limit', 'Timeout'],
  ['=>> PBS: job killed: mem 325588kb exceeded limit 102400kb', 'Exceeded job memory limit', 'OOM Killed'],
  ['=>> PBS: job killed: vmem 325588kb exceeded limit 102400kb', 'Exceeded job memory limit', 'OOM Killed'],
  [
    "=>> PBS: job killed: node 1 (r1i0n1) requested job terminate, 'EOF' (code 1099) - received SISTER_EOF attempting to communicate with sister MOM's",
    'Node failure',
    'Node failure',
  ],
  ['=>> PBS: job killed: ncpus 3.5 exceeded limit 2 (sum)', 'Job killed by PBS', 'Job killed by PBS'],
  ['Cgroup mem limit exceeded: oom-kill:constraint=CONSTRAINT_MEMCG', 'OOM killer terminated process', 'OOM Killed'],
])('a line of PBS is known by what it says: %s', (text, label, inLog) => {
  expect(findInSlurmLog(text, false)?.label).toBe(label);
  expect(findInLog(text)?.label).toBe(inLog);
});

it('a program that writes of PBS in its own words has not been killed by it', () => {
  expect(findInSlurmLog('see https://site/docs: "=>> PBS: job killed: walltime" in your log', false)).toBeUndefined();
});
