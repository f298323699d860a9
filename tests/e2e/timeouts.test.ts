import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialized } from '../support/initialized.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

const small = { name: 'small', num_cpus: 1, memory: '200m', runtime: 'PT5M' };
/** Waits for a file that nothing makes: the job would run until its test ends it. */
const endless = 'until [ -e never ]; do sleep 0.1; done';

async function ran(spec: object) {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'flow.json'),
    JSON.stringify({ name: 'timeouts', resource_requirements: [small], ...spec }),
  );
  const server = await startServer(folder);
  const call = async (...args: string[]) => (await torc(['--url', server.url, ...args], { cwd: folder })).stdout;
  await initialized(server, folder, 'flow.json');
  const { stderr } = await torc(['--url', server.url, 'run', '1', '--num-cpus', '8', '--memory-gb', '8'], {
    cwd: folder,
  });
  const { items: jobs } = await server.client.listJobs({ query: { workflow_id: 1 } });
  const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
  const resultsOf = (name: string) =>
    items
      .filter(({ job_id: id }) => id === jobs.find((job) => job.name === name)?.id)
      .map(({ status, return_code: code, cause_code: cause, cause: words }) => [
        status,
        code,
        cause ?? undefined,
        words,
      ]);
  return { folder, server, call, stderr, resultsOf, items };
}

describe('a job with a timeout', () => {
  it('it is asked to end at its timeout and killed after the lead; one that handles the signal ends as it says, and one that ends before is left alone', async () => {
    const timeout = 'PT5S';
    const job = (name: string, command: string) => ({ name, command, timeout, resource_requirements: 'small' });
    const { call, resultsOf, items } = await ran({
      execution_config: { sigterm_lead_seconds: 1, timeout_exit_code: 124 },
      jobs: [
        job('hangs', endless),
        job('deaf', `trap '' TERM; ${endless}`),
        job('saves', `trap 'exit 0' TERM; ${endless}`),
        job('refuses', `trap 'exit 5' TERM; ${endless}`),
        job('quick', 'true'),
        { name: 'free', command: 'sleep 7', resource_requirements: 'small' },
      ],
    });
    const words = 'it was ended after 5 s, its timeout (timeout: PT5S)';
    expect(resultsOf('hangs')).toEqual([['terminated', 143, 'time', words]]);
    expect(resultsOf('deaf')).toEqual([['terminated', 124, 'time', words]]);
    expect(resultsOf('refuses')).toEqual([['terminated', 5, 'time', words]]);
    expect(resultsOf('saves')).toEqual([['completed', 0, 'asked', 'that was after 5 s, its timeout (timeout: PT5S)']]);
    expect(resultsOf('quick')).toMatchObject([['completed', 0, undefined, undefined]]);
    expect(resultsOf('free')).toMatchObject([['completed', 0, undefined, undefined]]);
    const ended = items.filter(({ cause_code: cause }) => cause === 'time').map((each) => each.exec_time_minutes * 60);
    for (const seconds of ended) expect(seconds).toBeGreaterThanOrEqual(4.9);

    const explained = await call('jobs', 'explain', 'hangs', '-w', '1');
    expect(explained).toContain(`its time was up: ${words}`);
    expect(explained).toContain('jobs update 1 --timeout PT10S');
    expect(explained).not.toContain('asked for');
    // What a person set is not raised.
    const recovery = await call('recover', '1', '--dry-run');
    expect(recovery).toContain('3 jobs reached their timeout');
    expect(recovery).toContain('Jobs that stay as they are: 3 jobs');
    expect(recovery).not.toContain('runtime PT');
    expect(await call('workflows', 'correct-resources', '1', '--dry-run', '--no-downsize')).toContain(
      '3 jobs reached a timeout, which stays',
    );
    // A larger one is used from the next attempt on.
    await call('jobs', 'update', '1', '--timeout', 'PT10S');
    expect(await call('-f', 'json', 'jobs', 'get', '1')).toContain('"timeout": "PT10S"');
  });

  it('on_timeout repeats it with the same timeout, and a job that hung once completes', async () => {
    const { resultsOf, stderr } = await ran({
      failure_handlers: [{ name: 'again', on_timeout: { runtime: 'x2', max_retries: 3 } }],
      jobs: [
        {
          name: 'hung',
          command: `[ -e was-here ] || { touch was-here; ${endless}; }`,
          timeout: 'PT2S',
          failure_handler: 'again',
        },
      ],
    });
    expect(stderr).toContain('1 attempt was repeated: out of time');
    expect(resultsOf('hung')).toMatchObject([
      ['terminated', 143, 'time', expect.stringMatching(/\(timeout: PT2S\); it runs again with the same timeout/)],
      ['completed', 0, undefined, undefined],
    ]);
  });
});

describe('the timeout of a workflow', () => {
  it('a requested runtime limits nothing by itself, as in Torc, and is the limit of jobs that ask for one with timeout_by: runtime', async () => {
    const brief = { ...small, name: 'brief', runtime: 'PT1S' };
    const jobs = [
      { name: 'asks', command: 'sleep 3', resource_requirements: 'brief' },
      { name: 'asks_nothing', command: 'sleep 3' },
    ];
    const resource_requirements = [brief];
    const free = await ran({ resource_requirements, jobs });
    expect(free.resultsOf('asks')).toMatchObject([['completed', 0, undefined, undefined]]);
    const limited = await ran({ resource_requirements, jobs, execution_config: { timeout_by: 'runtime' } });
    expect(limited.resultsOf('asks')).toMatchObject([
      ['terminated', 143, 'time', 'it was ended after 1 s, its timeout (runtime: PT1S and timeout_by: runtime)'],
    ]);
    expect(limited.resultsOf('asks_nothing')).toMatchObject([['completed', 0, undefined, undefined]]);
    // The request is the limit, so a recovery that raises requests raises it.
    expect(await limited.call('recover', '1', '--dry-run')).toContain('runtime PT1S → PT1M');
  });

  it('execution_config.timeout is the limit of jobs that have none of their own', async () => {
    const { resultsOf } = await ran({
      execution_config: { timeout: 'PT1S' },
      jobs: [
        { name: 'usual', command: 'sleep 3' },
        { name: 'own', command: 'sleep 3', timeout: 'PT1M' },
      ],
    });
    expect(resultsOf('usual')).toMatchObject([
      ['terminated', 143, 'time', expect.stringContaining('execution_config')],
    ]);
    expect(resultsOf('own')).toMatchObject([['completed', 0, undefined, undefined]]);
  });

  it('the server refuses a timeout that is no duration, of a job, of a workflow and in an update', async () => {
    const server = await startServer(temporaryFolder());
    const { client } = server;
    await expect(
      client.createWorkflow({ body: { name: 'w', user: 'u', execution_config: { timeout: '2h' } } }),
    ).rejects.toThrow('execution_config.timeout must be an ISO 8601 duration such as PT2H or PT90S; found "2h"');
    const { id } = await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    const job = { workflow_id: id, name: 'j', command: 'true' };
    await expect(client.createJob({ body: { ...job, timeout: 'PT0S' } })).rejects.toThrow(
      'timeout must be at least a second; found "PT0S", for job \'j\'',
    );
    const made = await client.createJob({ body: { ...job, timeout: 'PT1S' } });
    await expect(client.updateJob({ params: { id: made.id }, body: { ...job, timeout: '7' } })).rejects.toThrow(
      'found "7"',
    );
    expect(await client.getJob({ params: { id: made.id } })).toMatchObject({ timeout: 'PT1S' });
  });
});
