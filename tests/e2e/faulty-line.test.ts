import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { faultyLineTo } from '../support/faulty-line.ts';
import { faultsOf, readHistory } from '../support/history.ts';
import { type Program, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { random } from '../support/random.ts';

/** Networks with faults of their own; more by hand, with TORC_SEEDS. */
const SEEDS = Array.from({ length: Number(process.env['TORC_SEEDS'] ?? (isCi ? 2 : 1)) }, (_, index) => index + 2);
const EACH = 120;
const JOBS = 2 * EACH;
const OFFERED = { cpus: 4, gpus: 0 };
/** Part of the requests that meet a fault. */
const SHARE = 0.35;
/** A seed takes 6 s alone; other tests beside it may hold it up. */
const LONGEST_MS = 120_000;

/** Short jobs in two layers, each of which says when it began and when it is about to end. */
function flow(folder: string): string {
  const says = (what: string) => `echo "${what} $TORC_JOB_ID $TORC_ATTEMPT_ID $TORC_RUNNER_MARK 1" >> history`;
  const layer = (name: string, after: string | undefined) => ({
    name: `${name}_{i}`,
    parameters: { i: `1:${EACH}` },
    command: `${says('B')}; sleep 0.0$((TORC_JOB_ID % 10)); ${says('E')}`,
    resource_requirements: 'small',
    failure_handler: 'again',
    ...(after === undefined ? {} : { depends_on: [`${after}_{i}`] }),
  });
  const path = join(folder, 'flow.json');
  writeFileSync(
    path,
    JSON.stringify({
      name: 'faulty line',
      resource_requirements: [{ name: 'small', num_cpus: 1, memory: '1m', runtime: 'PT1M' }],
      // Those that Ctrl-C ends run again.
      failure_handlers: [{ name: 'again', rules: [{ match_all_exit_codes: true, max_retries: 9 }] }],
      jobs: [layer('first', undefined), layer('second', 'first')],
    }),
  );
  return path;
}

describe.each(SEEDS)('on a network of seed %d that doubles, delays, reorders and loses messages', (seed) => {
  it(
    'every job runs once in its attempt, none stays pending, and no runner that has ended holds one',
    async () => {
      const folder = temporaryFolder();
      const server = await startServer(folder);
      const line = await faultyLineTo(server.port, { next: random(seed), share: SHARE });
      onTestFinished(() => line.close());
      await torc(['--url', server.url, 'create', flow(folder)], { cwd: folder });
      await torc(['--url', server.url, 'workflows', 'init', '1', '--no-prompts'], { cwd: folder });

      const url = `http://127.0.0.1:${line.port}/torc-service/v1`;
      const words = ['--url', url, 'run', '1', '--num-cpus', '4', '--memory-gb', '4', '--poll-interval', '1'];
      const runners: Program[] = [];
      let isOver = false;
      /** A runner; one that the network did not even let begin, or that gave up, is followed by another. */
      const begin = async () => {
        const runner = start('torc', words, { cwd: folder });
        runners.push(runner);
        const { code } = await runner.ended;
        runners.splice(runners.indexOf(runner), 1);
        if (code !== 0 && !isOver) await begin();
      };
      const ended = [begin(), begin()];
      const written = () => (existsSync(join(folder, 'history')) ? readFileSync(join(folder, 'history'), 'utf8') : '');
      const marks = (count: number) =>
        until(written, (text) => readHistory(text).length >= count, `${count} marks`, LONGEST_MS);
      await marks(JOBS / 2);
      // Ctrl-C: running jobs end and run again, what was claimed ahead is returned, and another runner comes.
      runners[0]?.child.kill('SIGINT');
      ended.push(begin());
      await marks(JOBS * 1.5);
      // A quiet line at the end: what was lost must not need another fault to be found.
      await line.heal();

      const database = new DatabaseSync(join(folder, 'server.db'), { readOnly: true });
      onTestFinished(() => database.close());
      const heldByEnded = database.prepare(`
      select job.id, job.status from job join compute_node on compute_node.id = job.claimed_by
      where compute_node.is_active = 0 and job.status in (3, 4)
      union all
      select job_id, -1 from held_attempt join compute_node on compute_node.id = compute_node_id where is_active = 0`);
      const counts = async () => {
        expect(heldByEnded.all()).toEqual([]);
        return (await server.client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status;
      };
      const seen = await until(
        counts,
        ({ completed }) => completed === JOBS,
        'all jobs to be completed',
        LONGEST_MS / 2,
      ).finally(() => (isOver = true));
      expect(seen).toMatchObject({ completed: JOBS, pending: 0, running: 0, ready: 0, blocked: 0 });
      await Promise.all(ended);

      const history = readHistory(written());
      expect(faultsOf(history, OFFERED)).toEqual([]);
      expect(new Set(history.map(({ jobId }) => jobId)).size).toBe(JOBS);
      expect(await counts()).toEqual(seen);
      const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
      const known = new Set(items.map(({ job_id: job, attempt_id: attempt }) => `${job} ${attempt}`));
      expect(history.filter(({ jobId, attemptId }) => !known.has(`${jobId} ${attemptId}`))).toEqual([]);
      expect(Object.values(line.met).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10);
    },
    LONGEST_MS,
  );
});
