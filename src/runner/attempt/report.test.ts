import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { Client } from '../../client/client.ts';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import type { Shells } from '../launch/shell.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import { openLedger } from '../ledger/ledger.ts';
import { createReportOutbox } from '../ledger/outbox.ts';
import { createAttemptReports } from './report.ts';
import type { JudgedAttempt } from './result.ts';
import { createRetry } from './retry/retry.ts';

const job = { id: 7, attempt_id: 1, name: 'train', failure_handler_id: 3, need: {} } as ClaimedJob;
const judged = (over: Partial<JudgedAttempt> & { readonly status: Completion['status'] }): JudgedAttempt => ({
  job,
  completion: {
    job_id: 7,
    attempt_id: 1,
    status: over.status,
    return_code: over.status === 'completed' ? 0 : 75,
    exec_time_minutes: 1,
    completion_time: '2026-11-28T12:00:00.000Z',
  },
  failure: undefined,
  timeout: undefined,
  isCanceled: false,
  ...over,
});

/** Reports of a run whose failure handler runs a script before it repeats code 75; the script ends when the test says so. */
async function reports() {
  const outputDir = temporaryFolder();
  const path = join(outputDir, 'runner.ledger');
  const ledger = openLedger(path, { workflow_id: 1, run_id: 1, compute_node_id: 1, process: undefined });
  onTestFinished(() => ledger.close({ remove: true }));
  const outbox = createReportOutbox();
  const facts = {
    workflowId: 1,
    runId: 1,
    apiUrl: '',
    outputDir,
    submissionDirectory: undefined,
    execution: {},
    variables: [],
  };
  const run: CurrentRun = { ...facts, ledger, outbox, log: { write() {}, close() {} } };
  const script = Promise.withResolvers<undefined>();
  const shells = { run: () => script.promise, pause: async () => {} } as unknown as Shells;
  const rules = JSON.stringify([{ exit_codes: [75], recovery_script: 'mend', max_retries: 3 }]);
  const retry = await createRetry({
    client: {} as Client,
    reads: {
      failureHandlers: async () => [{ id: 3, workflow_id: 1, name: 'again', rules }],
      defaultRequirements: async () => undefined,
    },
    run,
    usesPendingFailed: false,
    shells,
  });
  const over: [number, boolean][] = [];
  const { report, tally, repeated } = createAttemptReports({ run, retry, onOver: (...end) => void over.push(end) });
  /** The kinds of entries on disk after the first line. */
  const written = () =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line[0]);
  return { report, tally, repeated, over, outbox, ledger, written, endScript: () => script.resolve(undefined) };
}

it('the result of an attempt that completed is in ledger and outbox at once, and its job is over', async () => {
  const { report, tally, over, outbox, ledger, written } = await reports();
  expect(report(judged({ status: 'completed' }))).toBeUndefined();
  ledger.flush();
  expect([written(), over, tally.completed]).toEqual([['E'], [[7, true]], 1]);
  expect(outbox.take().completed).toHaveLength(1);
});

it('a retry is on disk before its recovery script has run, and the server hears of it and the job is over afterwards', async () => {
  const { report, tally, repeated, over, outbox, written, endScript } = await reports();
  const settled = report(judged({ status: 'failed' }));
  expect([written(), outbox.isEmpty, over]).toEqual([['R'], true, []]);
  endScript();
  await settled;
  expect(outbox.take().retried).toMatchObject([{ job_id: 7, max_retries: 3 }]);
  expect([over, [...repeated], tally.failed]).toEqual([[[7, false]], [['exit code 75', 1]], 0]);
});

it('a job that was canceled is not repeated, whatever its failure handler says', async () => {
  const { report, tally, repeated, over, outbox } = await reports();
  expect(report(judged({ status: 'terminated', isCanceled: true }))).toBeUndefined();
  expect([over, repeated.size, tally.terminated]).toEqual([[[7, false]], 0, 1]);
  expect(outbox.take()).toMatchObject({ completed: [{ status: 'terminated' }], retried: [] });
});
