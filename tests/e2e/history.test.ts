import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { faultsOf, readHistory } from '../support/history.ts';
import { type Line, lineTo } from '../support/line.ts';
import {
  type Program,
  type RunningServer,
  start,
  startServer,
  temporaryFolder,
  torc,
  until,
} from '../support/programs.ts';
import { random } from '../support/random.ts';

/** Runs with moments of their own; more by hand, with TORC_SEEDS. */
const SEEDS = Array.from({ length: Number(process.env['TORC_SEEDS'] ?? (isCi ? 2 : 1)) }, (_, index) => index + 1);
/** What happens to each. */
const BLOWS = 6;
const EACH = 60;
/** A machine that is busy with other things makes programs that start many times slow; a limit must not judge that. */
const PATIENCE = { timeout: 300_000 };

/** Jobs of several sizes in two layers, each of which says when it began and when it is about to end. */
function flow(folder: string): string {
  const says = (what: string, cpus: number) =>
    `echo "${what} $TORC_JOB_ID $TORC_ATTEMPT_ID $TORC_RUNNER_MARK ${cpus} $TORC_GPU_VISIBLE_DEVICES" >> history`;
  const needs = [
    { name: 'small', num_cpus: 1, num_gpus: 0 },
    { name: 'wide', num_cpus: 3, num_gpus: 0 },
    { name: 'device', num_cpus: 1, num_gpus: 1 },
    { name: 'devices', num_cpus: 2, num_gpus: 2 },
  ];
  const layer = (name: string, after: string | undefined) =>
    needs.map(({ name: size, num_cpus: cpus }) => ({
      name: `${name}_${size}_{i}`,
      parameters: { i: `1:${EACH}` },
      command: `${says('B', cpus)}; sleep 0.0$((TORC_JOB_ID % 4)); ${says('E', cpus)}`,
      resource_requirements: size,
      ...(after === undefined ? {} : { depends_on: [`${after}_${size}_{i}`] }),
    }));
  const path = join(folder, 'flow.json');
  writeFileSync(
    path,
    JSON.stringify({
      name: 'history',
      resource_requirements: needs.map((each) => ({ ...each, num_nodes: 1, memory: '1m', runtime: 'PT1M' })),
      jobs: [...layer('first', undefined), ...layer('second', 'first')],
    }),
  );
  return path;
}
const JOBS = EACH * 4 * 2;
const OFFERED = { cpus: 4, gpus: 3 };

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

describe.each(SEEDS)('with blows of seed %d', (seed) => {
  it(
    'every job runs to its end, none twice in an attempt, and nothing is used that is not there',
    PATIENCE,
    async () => {
      const next = random(seed + 5_000);
      const folder = temporaryFolder();
      let server: RunningServer = await startServer(folder);
      const line: Line = await lineTo(server.port);
      onTestFinished(() => line.close());
      const url = `http://127.0.0.1:${line.port}/torc-service/v1`;
      await torc(['--url', server.url, 'create', flow(folder)], { cwd: folder });
      await torc(['--url', server.url, 'workflows', 'init', '1', '--no-prompts'], { cwd: folder });

      const words = ['--url', url, 'run', '1', '--num-cpus', '4', '--memory-gb', '4', '--poll-interval', '1'];
      const environment = { CUDA_VISIBLE_DEVICES: '0,1,2' };
      const begin = () => start('torc', words, { cwd: folder, environment });
      const runners: Program[] = [begin(), begin()];
      const written = () => (existsSync(join(folder, 'history')) ? readFileSync(join(folder, 'history'), 'utf8') : '');
      await until(written, (text) => text !== '', 'a job to begin');

      const blows = [
        async () => {
          server.program.child.kill('SIGKILL');
          await server.program.ended;
          await pause(next() * 200);
          server = await startServer(folder, { port: server.port });
        },
        async () => {
          const [gone] = runners.splice(Math.floor(next() * runners.length), 1) as [Program];
          gone.child.kill('SIGKILL');
          await gone.ended;
          runners.push(begin());
        },
        async () => {
          line.becomes((['silent', 'resets', 'answers 500'] as const)[Math.floor(next() * 3)] ?? 'silent');
          await pause(next() * 400);
          line.becomes('open');
        },
      ];
      for (let blow = 0; blow < BLOWS; blow += 1) {
        await pause(next() * 150);
        await (blows[Math.floor(next() * blows.length)] as () => Promise<void>)();
      }
      await Promise.all(runners.map(({ ended }) => ended));
      // One that was started while there was no server has ended at once, and there may be none that goes on.
      const { code } = await torc(words, { cwd: folder, environment });
      expect(code).toBe(0);

      // Those that did not, with what their results say: a count alone would not say why.
      const { items: jobs } = await server.client.listJobs({ query: { workflow_id: 1, limit: JOBS } });
      const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
      const left = jobs.filter(({ status }) => status !== 'completed');
      expect(left.map((job) => ({ job, results: items.filter(({ job_id: of }) => of === job.id) }))).toEqual([]);
      expect(jobs).toHaveLength(JOBS);
      const history = readHistory(written());
      expect(faultsOf(history, OFFERED)).toEqual([]);
      expect(new Set(history.map(({ jobId }) => jobId)).size).toBe(JOBS);
      // Everything that began is accounted for: by a result of that attempt.
      const known = new Set(items.map(({ job_id: job, attempt_id: attempt }) => `${job} ${attempt}`));
      expect(history.filter(({ jobId, attemptId }) => !known.has(`${jobId} ${attemptId}`))).toEqual([]);
    },
  );
});
