import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { initialized } from '../support/initialized.ts';
import { startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/**
 * What public reports say of the time limits of other programs, as jobs that would show the same here. Each row names the report, the job,
 * and its attempts: status, return code and cause.
 */

const endless = 'until [ -e never ]; do sleep 0.1; done';
const timeout = 'PT2S';
interface FieldJob {
  readonly name: string;
  readonly command: string;
  readonly timeout?: string;
  readonly failure_handler?: string;
}
type Attempt = readonly [status: Result['status'], code: number, cause: Result['cause_code']];

const ROWS: readonly (readonly [report: string, job: FieldJob, attempts: readonly Attempt[]])[] = [
  [
    'https://github.com/nextflow-io/nextflow/issues/313 (0.24: a task that had succeeded in time was taken for one that had not)',
    { name: 'in_time', command: 'sleep 0.5', timeout: 'PT1M' },
    [['completed', 0, undefined]],
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/387 (0.25: the second attempt hung when it reached the limit)',
    { name: 'twice', command: endless, timeout, failure_handler: 'again' },
    [
      ['terminated', 143, 'time'],
      ['terminated', 143, 'time'],
    ],
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/6549 (25.10: rules by exit code did not see the end at the limit)',
    { name: 'by_code', command: `trap '' TERM; ${endless}`, timeout, failure_handler: 'by_code' },
    [
      ['terminated', 124, 'time'],
      ['terminated', 124, 'time'],
    ],
  ],
  [
    'https://github.com/BSC-ES/autosubmit/issues/811 (3.14: without effect on the own machine, then up to a minute early)',
    { name: 'not_early', command: endless, timeout },
    [['terminated', 143, 'time']],
  ],
  [
    'https://github.com/flux-framework/flux-core/issues/2735 (0.14: stored and not enforced)',
    { name: 'of_workflow', command: endless },
    [['terminated', 143, 'time']],
  ],
  [
    'https://github.com/BaseIntelligence/bounty-challenge/issues/51376 (children went on)',
    { name: 'child', command: `(setsid sleep 600 & echo $! > child.pid); ${endless}`, timeout },
    [['terminated', 143, 'time']],
  ],
];

let folder: string;
let results: readonly Result[];
let ids: ReadonlyMap<string, number>;
beforeAll(async () => {
  folder = temporaryFolder();
  const flow = {
    name: 'field',
    execution_config: { sigterm_lead_seconds: 1, timeout_exit_code: 124, timeout: 'PT3S' },
    failure_handlers: [
      { name: 'again', on_timeout: { runtime: 'x2', max_retries: 2 } },
      { name: 'by_code', rules: [{ exit_codes: [124], max_retries: 2 }] },
    ],
    jobs: ROWS.map(([, job]) => job),
  };
  writeFileSync(join(folder, 'flow.json'), JSON.stringify(flow));
  const server = await startServer(folder);
  await initialized(server, folder, 'flow.json');
  await torc(['--url', server.url, 'run', '1', '--num-cpus', '8', '--memory-gb', '8'], { cwd: folder });
  const { items: jobs } = await server.client.listJobs({ query: { workflow_id: 1 } });
  ids = new Map(jobs.map(({ id, name }) => [name, id]));
  ({ items: results } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } }));
}, 120_000);

it.each(ROWS)('a time limit as in %s', (_, { name }, attempts) => {
  const own = results.filter(({ job_id: id }) => id === ids.get(name));
  expect(own.map(({ status, return_code: code, cause_code: cause }) => [status, code, cause ?? undefined])).toEqual(
    attempts,
  );
  for (const { cause_code: cause, exec_time_minutes: minutes } of own)
    if (cause === 'time') expect(minutes * 60).toBeGreaterThanOrEqual(1.9);
});

it('https://github.com/BaseIntelligence/bounty-challenge/issues/51376: a child in a session of its own ends with its job', async () => {
  const pid = readFileSync(join(folder, 'child.pid'), 'utf8').trim();
  // The process that takes over orphans may take a moment to collect it.
  await until(
    () => existsSync(`/proc/${pid}`),
    (isThere) => !isThere,
    'the child to be gone',
  );
});
