import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { ended, testService, workflowOf } from '../../../tests/support/service.ts';
import type { CauseCode } from '../../core/contract/cause-code.ts';
import type { JobStatus, JobStatusCounts } from '../../core/contract/job.ts';
import type { RunSummary } from '../../runner/facts/options.ts';
import { createOutput } from '../output/output.ts';
import { isBroken, saySummary } from './summary.ts';

/** How a job ended: its return code, or its status as well. */
type Ended =
  | number
  | { readonly code: number; readonly status: JobStatus; readonly causeCode?: CauseCode; readonly cause?: string };

interface Options {
  readonly summary?: Partial<RunSummary>;
  /** What each job wrote to its standard error. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly command?: string;
}

/** The summary of a run in which these jobs ended like that. */
async function said(
  endings: Readonly<Record<string, Ended>>,
  { summary, errors = {}, command = 'true' }: Options = {},
): Promise<string> {
  const outputDir = temporaryFolder();
  const service = testService();
  const { client } = service;
  const sketches = Object.keys(endings).map((name) => ({ name, command, cancels: true }));
  const { id, jobIds, nodeId } = await workflowOf(service, sketches);
  const exchange = (body: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await exchange({ want: { limit: 100, prefetch: 0 } });
  const reply = await exchange({
    completed: jobs.map((job) => {
      const ending = endings[job.name] as Ended;
      return typeof ending === 'number'
        ? ended(job, ending)
        : { ...ended(job, ending.code), status: ending.status, cause_code: ending.causeCode, cause: ending.cause };
    }),
  });
  mkdirSync(join(outputDir, 'job_stdio'));
  for (const [name, text] of Object.entries(errors))
    writeFileSync(join(outputDir, `job_stdio/job_wf${id}_j${jobIds.get(name)}_r1_a1.e`), text);

  let written = '';
  const stream = { write: (text: string) => (written += text) };
  const silent = { write: (text: string) => expect.fail(`printed as a result: ${text}`) };
  const workflow = await client.getWorkflow({ params: { id } });
  await saySummary({
    client,
    output: createOutput('table', { out: silent, err: stream }, false),
    hint: (command) => command,
    workflow: { ...workflow, id },
    summary: {
      ending: 'complete',
      reason: undefined,
      left: undefined,
      nodeId,
      runId: 1,
      tally: { completed: 0, failed: 0, terminated: 0 },
      overMemory: { jobs: 0, named: [] },
      swept: { files: 0, bytes: 0, kept: 0 },
      repeated: new Map(),
      counts: reply.jobs_by_status,
      countsAtStart: undefined,
      seconds: 6,
      isReported: true,
      journal: undefined,
      launcher: 'none',
      logPath: 'runner.log',
      ...summary,
    },
    outputDir,
  });
  return written.replaceAll(outputDir, 'OUT');
}

describe('the end of a run', () => {
  it('a successful run is one line', async () => {
    expect(await said({ a: 0, b: 0 })).toBe('✓ test (workflow 1): 2 jobs completed in 6.0s\n');
  });

  it('a run with failures shows their number, and for each why it failed and where its output is', async () => {
    expect(await said({ good: 0, bad: 3 }, { errors: { bad: 'one\ntwo\n' } })).toBe(
      [
        '✗ test (workflow 1): 1 job completed, 1 failed in 6.0s',
        '',
        'bad (job 2) failed with exit code 3 after 600ms',
        '  the command itself ended with 3',
        '  $ true',
        '  OUT/job_stdio/job_wf1_j2_r1_a1.e',
        '  │ one',
        '  │ two',
        '',
      ].join('\n'),
    );
  });

  it('a job that was killed for its memory shows the measured amount, and one of a runner that does not say why both reasons', async () => {
    const cause = 'it used 394 of 1 MiB';
    const text = await said({ greedy: { code: 137, status: 'failed', causeCode: 'memory', cause } });
    expect(text).toContain(
      'greedy (job 1) failed with exit code 137 after 600ms\n  it used more memory than it may: it used 394 of 1 MiB\n  $ true\n',
    );
    expect(await said({ killed: 137 })).toContain(
      'after 600ms\n  SIGKILL ended it: for its memory, or another process sent it\n  $ true\n',
    );
  });

  it('jobs that used more memory than they asked for are named also when they completed, with what raises their requests', async () => {
    const named = [{ id: 1, name: 'greedy', peakBytes: 613 * 2 ** 20, askedBytes: 50 * 2 ** 20 }];
    expect(await said({ greedy: 0 }, { summary: { overMemory: { jobs: 1, named } } })).toBe(
      [
        '✓ test (workflow 1): 1 job completed in 6.0s',
        '',
        '1 job used more memory than it asked for:',
        '  greedy (job 1) used 613 of 50 MiB',
        'To ask for what was used: torc workflows correct-resources 1',
        '',
      ].join('\n'),
    );
    const many = await said({ greedy: 0 }, { summary: { overMemory: { jobs: 7, named } } });
    expect(many).toContain('7 jobs used more memory than they asked for:');
    expect(many).toContain('  … and 6 more: torc workflows check-resources 1\n');
  });

  it('the end of a run shows the command of a failure on one line, shortened, without its control characters', async () => {
    const text = await said({ bad: 3 }, { command: `a\n\u001b[31m${'x'.repeat(1000)}` });
    const [line = ''] = /^ {2}\$ .*$/m.exec(text) ?? [];
    expect(line).toMatch(/^ {2}\$ a\\n\\u001b\[31mx+…$/);
    expect(line.length).toBeLessThan(270);
  });

  it('the summary does not mention missing output', async () => {
    expect(await said({ bad: 3 })).toMatch(/job_wf1_j1_r1_a1\.e\n$/);
  });

  it.each([
    [127, 'failed with exit code 127 after 600ms\n  the shell did not find the command (exit code 127)'],
    [139, 'failed with exit code 139 after 600ms\n  the program crashed with SIGSEGV'],
    [200, 'failed with exit code 200 after 600ms\n  the command itself ended with 200'],
    [
      { code: 143, status: 'terminated' as const },
      'was terminated with exit code 143 after 600ms\n  its runner ended it (return code 143)',
    ],
  ])('the summary explains %j', async (ending, words) => {
    expect(await said({ job: ending })).toContain(`job (job 1) ${words}`);
  });

  it("the summary shows the last five lines of a job's output, without control characters", async () => {
    const written = `${Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')}\n\u001b[31mred\u0007\n`;
    const text = await said({ bad: 1 }, { errors: { bad: written } });
    expect(text.match(/│ .*/g)).toEqual(['│ line 16', '│ line 17', '│ line 18', '│ line 19', '│ �[31mred�']);
  });

  it('the summary shows the end of large output too', async () => {
    const text = await said({ bad: 1 }, { errors: { bad: `${'x'.repeat(100_000)}\nthe reason\n` } });
    expect(text).toContain('│ the reason\n');
    expect(text.length).toBeLessThan(5_000);
  });

  it('the summary shows five failures, and how to list the others', async () => {
    const text = await said(Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`j${index}`, 1])));
    expect(text.match(/failed with exit code 1/g)).toHaveLength(5);
    expect(text).toMatch(/\n… and 3 more: torc results list 1 --failed\n$/);
  });
});

describe('an incomplete run', () => {
  const open = (counts: Partial<JobStatusCounts>): JobStatusCounts => ({
    uninitialized: 0,
    blocked: 0,
    ready: 0,
    pending: 0,
    running: 0,
    completed: 1,
    failed: 0,
    canceled: 0,
    terminated: 0,
    disabled: 0,
    pending_failed: 0,
    ...counts,
  });

  it('the summary counts the remaining jobs with readable numbers', async () => {
    const counts = open({ running: 1, ready: 2, pending: 3, blocked: 4, uninitialized: 5 });
    expect(await said({ a: 0 }, { summary: { ending: 'idle', counts } })).toBe(
      '◷ test (workflow 1): 1 job completed, 1 running, 14 not run (2 ready, 4 blocked, 5 uninitialized, 3 about to start) in 6.0s\n' +
        'warning: the runner left before the workflow was complete\n',
    );
  });

  it.each(['stopped', 'deadline'] as const)(
    'a run that %s is not a failure: it counts what was stopped and what did not run, and shows no output of jobs that were ended',
    async (ending) => {
      const late = { code: 143, status: 'terminated' as const };
      const text = await said({ a: 0, b: late, c: late }, { summary: { ending }, errors: { b: 'half\n' } });
      expect(text).toMatch(
        /^◷ test \(workflow 1\): 1 job completed, 2 stopped \(terminated\) in 6\.0s\nwarning: [^\n]*\n$/,
      );
    },
  );

  it('a run that was stopped shows a job that had failed before', async () => {
    const late = { code: 143, status: 'terminated' as const };
    const text = await said({ a: 3, b: late }, { summary: { ending: 'stopped' } });
    expect(text).toContain('✗ test (workflow 1): 0 jobs completed, 1 failed, 1 stopped (terminated) in 6.0s');
    expect(text).toContain('a (job 1) failed with exit code 3');
    expect(text).not.toContain('b (job 2)');
  });

  it.each([
    ['canceled', 'the workflow was canceled'],
    ['superseded', 'the workflow went on without this runner'],
    ['unreachable', 'the server could not be reached'],
    ['behind', 'the server came back with an older database'],
    ['stuck', 'the workflow cannot go on'],
    ['stopped', 'the runner was stopped'],
    ['deadline', 'the runner ended'],
    ['unable', 'jobs cannot be started here (see runner.log)'],
  ] as const)('because it was %s says so, with the reason', async (ending, words) => {
    const counts = open({ ready: 1 });
    expect(await said({ a: 0 }, { summary: { ending, counts, reason: 'because' } })).toContain(
      `warning: ${words}: because\n`,
    );
  });

  it('the summary does not mention jobs when nothing is known about them', async () => {
    expect(await said({ a: 0 }, { summary: { ending: 'unreachable', counts: undefined } })).toBe(
      'warning: the server could not be reached\n',
    );
  });

  it.each(['complete', 'unreachable', 'stopped'] as const)(
    'or %s, says what becomes of what was not reported to the server, where there is such',
    async (ending) => {
      const kept = 'what did not reach the server is kept, and the next runner on this host reports it';
      expect(await said({ a: 0 }, { summary: { ending, isReported: false } })).toContain(kept);
      expect(await said({ a: 0 }, { summary: { ending, isReported: true } })).not.toContain(kept);
    },
  );

  it('an incomplete run counts what is kept in a journal, and does not ask a server for failures that it could not report', async () => {
    const journal = { path: 'offline_journal/x.db', completions: 3 };
    const text = await said({ a: 1 }, { summary: { ending: 'unreachable', isReported: false, journal } });
    expect(text).toContain('what did not reach the server is kept (3 results), and the next runner');
    expect(text).not.toContain('failed with exit code');
  });
});

describe('a command that ran jobs', () => {
  it.each([
    ['complete', true, false],
    ['idle', true, false],
    ['deadline', true, false],
    ['canceled', true, false],
    ['stopped', false, false],
    ['complete', false, true],
    ['unreachable', false, true],
    ['behind', true, true],
    ['superseded', true, true],
    ['unable', true, true],
  ] as const)('that ended as %s, with all results reported: %s, is broken: %s', (ending, isReported, expected) => {
    expect(isBroken({ ending, isReported })).toBe(expected);
  });
});
