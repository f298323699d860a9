import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/output/output.ts';
import { saySummary } from '../../src/cli/run/summary.ts';
import { sentenceOf } from '../../src/core/attempt/cause.ts';
import { type CauseCode, causeCodes } from '../../src/core/contract/cause-code.ts';
import type { JobStatus } from '../../src/core/job/job-statuses.ts';
import { screenOf, screenText } from '../../src/tui/cells.ts';
import { firstModel } from '../../src/tui/model.ts';
import { paint } from '../../src/tui/paint.ts';
import { detailViews } from '../../src/tui/views/all.ts';
import { CHROMIUM, openBrowser, watchPage } from '../support/browser.ts';
import { connectAgent } from '../support/mcp.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { registerNode } from '../support/service.ts';
import { wordsTo } from '../support/words.ts';

/** Why an attempt ended is one sentence, which every face of Torc says: for each cause, as a runner reports it. */

interface End {
  readonly status: Extract<JobStatus, 'completed' | 'failed' | 'terminated'>;
  readonly code: number;
  readonly causeCode?: CauseCode;
  readonly words?: string;
}

const ENDS: Readonly<Record<string, End>> = {
  memory: { status: 'failed', code: 137, causeCode: 'memory', words: 'it used 394 of 200 MiB' },
  time: { status: 'terminated', code: 152, causeCode: 'time', words: 'Slurm: TIMEOUT' },
  node: { status: 'failed', code: 137, causeCode: 'node', words: 'Slurm: NODE_FAIL' },
  allocation: { status: 'terminated', code: 143, causeCode: 'allocation', words: 'Slurm: PREEMPTED' },
  lost: { status: 'failed', code: -128, causeCode: 'lost' },
  stopped: { status: 'terminated', code: 143, causeCode: 'stopped' },
  canceled: { status: 'failed', code: 137, causeCode: 'canceled', words: 'user 1000 canceled its step' },
  killed: { status: 'failed', code: 137, causeCode: 'killed' },
  unproven: { status: 'failed', code: 143, causeCode: 'unproven' },
  disk: { status: 'failed', code: 3, causeCode: 'disk', words: 'no space left' },
  not_found: { status: 'failed', code: 127, causeCode: 'not_found' },
  not_executable: { status: 'failed', code: 126, causeCode: 'not_executable' },
  crash: { status: 'failed', code: 139, causeCode: 'crash' },
  signal: { status: 'failed', code: 153, causeCode: 'signal' },
  missing_output: { status: 'failed', code: 1, causeCode: 'missing_output', words: 'o.txt' },
  exit: { status: 'failed', code: 1, causeCode: 'exit' },
  asked: { status: 'completed', code: 0, causeCode: 'asked' },
  stale_output: { status: 'completed', code: 0, causeCode: 'stale_output', words: 'o.txt' },

  // Torc's own runner reports no cause. The server stores the one that a code proves, and these prove none.
  without_1: { status: 'failed', code: 1 },
  without_137: { status: 'failed', code: 137 },
  without_143: { status: 'terminated', code: 143 },
  // These do.
  without_127: { status: 'failed', code: 127 },
  without_time: { status: 'terminated', code: 152 },
};

/** No attempt ends for it: a job that was not run because of another one has no result, and `explain` names the other job. */
// A job that is taken as made has no attempt that ran: tests/e2e/touch.test.ts.
const OF_NO_ATTEMPT: readonly CauseCode[] = ['dependency', 'adopted'];

const STORED: Readonly<Record<string, CauseCode>> = { without_127: 'not_found', without_time: 'time' };
const sentence = (name: string): string => {
  const { status, code: returnCode, causeCode, words: cause } = ENDS[name] as End;
  return sentenceOf({ status, returnCode, causeCode: causeCode ?? STORED[name], cause }) as string;
};
const NAMES = Object.keys(ENDS);
/** The end of a run, `recover` and the failures of the page are about jobs that did not complete. */
const BAD = NAMES.filter((name) => ENDS[name]?.status !== 'completed');

/** The end of a run shows five failures. */
const MOST = 5;
interface Part {
  readonly id: number;
  readonly names: readonly string[];
  readonly jobIds: ReadonlyMap<string, number>;
}

let folder: string;
let server: RunningServer;
let parts: readonly Part[];
const { call } = wordsTo(() => server.url);

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  const sets = Array.from({ length: Math.ceil(NAMES.length / MOST) }, (_, at) =>
    NAMES.slice(at * MOST, (at + 1) * MOST),
  );
  parts = await Promise.all(sets.map(ended));
});

/** A workflow whose jobs ended like that, and whose runner is gone. */
async function ended(names: readonly string[]): Promise<Part> {
  const { client } = server;
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
  for (const name of names) await client.createJob({ body: { workflow_id: id, name, command: 'true' } });
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const nodeId = await registerNode({ client }, id);
  const exchange = (body: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await exchange({ want: { limit: MOST, prefetch: 0 } });
  await exchange({
    completed: jobs.map(({ id: jobId, name, attempt_id: attempt }) => {
      const { status, code, causeCode, words } = ENDS[name] as End;
      return {
        job_id: jobId,
        attempt_id: attempt,
        status,
        return_code: code,
        cause_code: causeCode,
        cause: words,
        exec_time_minutes: 0.1,
        completion_time: '2026-03-01T12:00:06.000Z',
      };
    }),
  });
  await client.updateComputeNode({ params: { id: nodeId }, body: { workflow_id: id, is_active: false } });
  return { id, names, jobIds: new Map(jobs.map((job) => [job.name, job.id])) };
}

/** The names whose sentence is not in what a face said. */
const silent = (names: readonly string[], text: string) => names.filter((name) => !text.includes(sentence(name)));
const each = async (of: (part: Part) => Promise<string>) => (await Promise.all(parts.map(of))).join('\n');

describe('the sentence of an end', () => {
  it('every cause that ends attempts is among these ends, and no two have the same sentence', () => {
    const here = new Set(Object.values(ENDS).flatMap(({ causeCode = [] }) => causeCode));
    expect(causeCodes.filter((code) => !here.has(code))).toEqual(OF_NO_ATTEMPT);
    const withCause = NAMES.filter((name) => ENDS[name]?.causeCode !== undefined);
    expect(new Set(withCause.map(sentence)).size).toBe(withCause.length);
  });

  it('the end of a run says the sentence of every end', async () => {
    const text = await each(async ({ id }) => {
      const workflow = await server.client.getWorkflow({ params: { id } });
      const { jobs_by_status: counts } = await server.client.getWorkflowStatus({ params: { id } });
      let written = '';
      const err = { write: (part: string) => (written += part) };
      await saySummary({
        client: server.client,
        output: createOutput('table', { out: err, err }, false),
        hint: (command) => command,
        workflow: { ...workflow, id },
        summary: {
          ending: 'complete',
          reason: undefined,
          left: undefined,
          nodeId: 1,
          runId: 1,
          tally: { completed: 0, failed: 0, terminated: 0 },
          overMemory: { jobs: 0, named: [] },
          swept: { files: 0, bytes: 0, kept: 0 },
          repeated: new Map(),
          counts,
          countsAtStart: undefined,
          seconds: 6,
          isReported: true,
          journal: undefined,
          launcher: 'none',
          logPath: 'runner.log',
        },
        outputDir: folder,
      });
      return written;
    });
    expect(silent(BAD, text)).toEqual([]);
  });

  it('torc jobs explain says the sentence of every end', async () => {
    for (const { names, jobIds } of parts)
      for (const name of names) {
        const { stdout } = await call('jobs', 'explain', String(jobIds.get(name)));
        expect(stdout).toContain(sentence(name));
      }
  });

  it('torc results list says the sentence of every end', async () => {
    let text = '';
    for (const { id } of parts) text += (await call('results', 'list', String(id))).stdout;
    expect(silent(NAMES, text)).toEqual([]);
  });

  it('torc recover --dry-run says the sentence of every end', async () => {
    let text = '';
    for (const { id } of parts) text += (await call('recover', String(id), '--dry-run')).stdout;
    expect(silent(BAD, text)).toEqual([]);
  });

  it('the terminal view says the sentence of every end in its list of results', async () => {
    const size = { width: 320, height: 40 };
    const viewIndex = detailViews.findIndex(({ name }) => name === 'Results');
    const text = await each(async ({ id }) => {
      const paging = { offset: 0, limit: 250 };
      const asked = { workflowId: id, paging, filter: {}, environment: {} };
      const page = await detailViews[viewIndex]?.load(server.client, asked);
      const details = { ...firstModel.details, isRead: true, rows: page?.items ?? [], total: page?.total_count ?? 0 };
      const model = { ...firstModel, pane: 'details' as const, workflow: { id, name: 'w' }, viewIndex, details };
      return screenText(
        screenOf(paint(model, size, 'here', Date.now()), size, { hasColours: false, hasUnicode: true }),
      );
    });
    expect(silent(NAMES, text)).toEqual([]);
  });

  it('agents read the sentence of every end in list_results, get_job_details and explain_workflow', async () => {
    const { call: ask } = await connectAgent(folder, ['--url', server.url]);
    const replies = async (tool: string) => each(async ({ id }) => (await ask(tool, { workflow_id: id })).text);
    expect(silent(NAMES, await replies('list_results'))).toEqual([]);
    // It is about jobs that did not complete.
    expect(silent(BAD, await replies('explain_workflow'))).toEqual([]);
    const jobs = parts.flatMap(({ jobIds }) => [...jobIds.values()]);
    const details = await Promise.all(jobs.map(async (id) => (await ask('get_job_details', { job_id: id })).text));
    expect(silent(NAMES, details.join('\n'))).toEqual([]);
  });

  it.skipIf(CHROMIUM === undefined)(
    'the page says the sentence of every end in the failures of a workflow, in its timeline and in the attempts of a job (skipped where chromium is missing)',
    async () => {
      const page = await (await openBrowser()).newPage({ viewport: { width: 1400, height: 900 } });
      const root = `http://127.0.0.1:${server.port}/`;
      const faults = watchPage(page, root.slice(0, -1));
      for (const { id, names, jobIds } of parts) {
        const bad = names.filter((name) => BAD.includes(name));
        await page.goto(`${root}#/workflows/${id}`);
        await page
          .locator('.failure')
          .nth(bad.length - 1)
          .waitFor();
        expect(silent(bad, await textsOf(page, '.failure'))).toEqual([]);

        await page.goto(`${root}#/workflows/${id}/timeline`);
        for (const name of names) await page.locator(`a.attempt[href="#/jobs/${jobIds.get(name)}"]`).waitFor();
        const titles = await page
          .locator('a.attempt')
          .evaluateAll((bars) => bars.map(({ title }: { title: string }) => title));
        expect(silent(names, titles.join('\n'))).toEqual([]);
      }
      for (const name of ['asked', 'stale_output', 'memory']) {
        const jobId = parts.flatMap(({ jobIds }) => jobIds.get(name) ?? [])[0];
        await page.goto(`${root}#/jobs/${jobId}`);
        await page.getByRole('cell', { name: sentence(name) }).waitFor();
      }
      expect(faults).toEqual([]);
    },
  );
});

const textsOf = async (page: Page, selector: string) => (await page.locator(selector).allInnerTexts()).join('\n');
