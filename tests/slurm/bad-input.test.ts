import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBatch } from '../../src/cluster/open-batch.ts';
import { settleSubmissions } from '../../src/operations/submit/settle-submissions.ts';
import { submitAllocations } from '../../src/operations/submit/submit-allocations.ts';
import type { SubmitTools } from '../../src/operations/submit/submit-tools.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

describe.skipIf(slurmIsMissing !== undefined)('an allocation is submitted once, and nothing is lost', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1 });
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  /** A workflow with a scheduler whose allocations are held in the queue. */
  const workflow = async (more: object = {}) => {
    const { client } = server;
    const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'tester' } })) as { id: number };
    const scheduler = { workflow_id: id, name: 's', account: 'any', nodes: 1, walltime: '00:05:00', extra: '--hold' };
    const { id: schedulerId } = await client.createSlurmScheduler({ body: { ...scheduler, ...more } });
    return { id, schedulerId: schedulerId };
  };
  const requestOf = ({ id, schedulerId }: { id: number; schedulerId: number }, allocations: number) => ({
    workflowId: id,
    schedulerId,
    allocations,
    startOneWorkerPerNode: false,
    maxParallelJobs: undefined,
  });
  /** The jobs of the workflow in Slurm, by the scripts that they were submitted with. */
  const jobsOf = (id: number) =>
    cluster
      .run('squeue', '-h', '-t', 'all', '-o', '%i|%o')
      .split('\n')
      .filter((line) => line.includes(`/wf${id}_`))
      .map((line) => Number(line.split('|')[0]))
      .toSorted((a, b) => a - b);
  const recordsOf = async (id: number) =>
    (await server.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items;

  /** Calls the real programs through scripts of the same names, which see the arguments and may misbehave. */
  const tools = (
    wrappers: Readonly<Record<string, string>>,
    { outputDir = join(folder, 'out'), atMostMs = 20_000 } = {},
  ): SubmitTools & { warnings: string[] } => {
    const environment: Record<string, string | undefined> = { ...process.env, ...cluster.environment };
    for (const [name, script] of Object.entries(wrappers)) {
      const path = join(folder, `${name}-${Math.random().toString(36).slice(2)}`);
      writeFileSync(
        path,
        `#!/bin/bash\nn=$(($(cat '${path}.n' 2>/dev/null) + 1)); echo $n > '${path}.n'\n${script}\n`,
        {
          mode: 0o755,
        },
      );
      environment[`TORC_FAKE_${name.toUpperCase()}`] = path;
    }
    const warnings: string[] = [];
    return {
      client: server.client,
      slurm: openBatch(environment, { atMostMs }),
      settings: {
        url: server.url,
        outputDir,
        pollIntervalSeconds: 30,
        claimBackoffMaxSeconds: undefined,
        tlsCaCert: undefined,
        tlsInsecure: false,
        keepsScripts: false,
      },
      onSubmitted: () => {},
      onWarning: (words) => warnings.push(words),
      retryMs: 10,
      warnings,
    };
  };
  const scripts = (outputDir: string) =>
    existsSync(outputDir) ? readdirSync(outputDir).filter((name) => name.endsWith('.sh')) : [];

  it('an allocation that never starts as it is has its reason in torc status, and a program sees it too', async () => {
    const place = await workflow();
    await submitAllocations(tools({}), requestOf(place, 1));
    const [job] = jobsOf(place.id);
    const see = (...words: string[]) =>
      torc(['--url', server.url, ...words, String(place.id)], { cwd: folder, environment: cluster.environment });
    const shown = await see('status');
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringContaining(
        `Allocation ${job} does not start as requested (JobHeldUser: it is held). To let it start: scontrol release ${job}. To give up: scancel ${job}\n`,
      ),
    ]);
    expect(JSON.parse((await see('-f', 'json', 'status')).stdout)).toMatchObject({
      queued_allocations: [{ slurm_job_id: job, reason: 'JobHeldUser', has_ended: false }],
    });
    const watching = start('torc', ['--url', server.url, 'watch', String(place.id), '-p', '0.1'], {
      cwd: folder,
      environment: cluster.environment,
    });
    await watching.says(`warning: Allocation ${job} does not start as requested (JobHeldUser`);
    watching.child.kill('SIGINT');
    await watching.ended;
    cluster.run('scancel', String(job));
    const after = await see('status');
    expect(after.stdout).toContain(
      `Allocation ${job} ended before a runner began. To go on: torc --url ${server.url} recover ${place.id}\n`,
    );
  });

  it('when Slurm refuses, with its words and without a record', async () => {
    const made = await workflow({ extra: '--no-such-option' });
    const attempt = submitAllocations(tools({}), requestOf(made, 2));
    await expect(attempt).rejects.toThrow(/unrecognized option '--no-such-option'/);
    const gone = await workflow({ partition: 'nowhere' });
    await expect(submitAllocations(tools({}), requestOf(gone, 1))).rejects.toThrow(/invalid partition/i);
    expect([await recordsOf(made.id), await recordsOf(gone.id), scripts(join(folder, 'out'))]).toEqual([[], [], []]);
  });

  it('when sbatch is accepted but does not answer, also in the middle of serialized allocations', async () => {
    const made = await workflow({ serialize_allocations: true });
    const hangs = 'sbatch "$@" || exit; [ $n = 2 ] && sleep 60; true';
    const jobIds = await submitAllocations(tools({ sbatch: hangs }, { atMostMs: 3000 }), requestOf(made, 3));
    expect(jobsOf(made.id)).toEqual(jobIds);
    expect((await recordsOf(made.id)).map(({ scheduler_id: id, status }) => [id, status])).toEqual(
      jobIds.map((id) => [id, 'pending']),
    );
  });

  it('when the controller is away at first', async () => {
    const made = await workflow();
    const away =
      'if [ $n -le 2 ]; then echo "sbatch: error: Unable to contact slurm controller (connect failure)" >&2; exit 1; fi; exec sbatch "$@"';
    const jobIds = await submitAllocations(tools({ sbatch: away }), requestOf(made, 1));
    expect(jobsOf(made.id)).toEqual(jobIds);
  });

  it('when an earlier attempt arrives late: the second job is canceled', async () => {
    const made = await workflow();
    // The first attempt times out, and squeue does not list its job yet.
    const hangs = 'sbatch "$@" || exit; [ $n = 1 ] && sleep 60; true';
    const late = '[ $n = 1 ] && exit 0; exec squeue "$@"';
    const used = tools({ sbatch: hangs, squeue: late }, { atMostMs: 3000 });
    const [jobId] = await submitAllocations(used, requestOf(made, 1));
    expect(used.warnings).toEqual([
      expect.stringMatching(/killed after 3 s.*asking squeue/),
      expect.stringMatching(/accepted the same allocation twice/),
    ]);
    const waiting = cluster
      .run('squeue', '-h', '-o', '%i|%o')
      .split('\n')
      .filter((line) => line.includes(`/wf${made.id}_`));
    expect(waiting.map((line) => Number(line.split('|')[0]))).toEqual([jobId]);
  });

  it('when nothing can be asked: the record stays, and a later call decides', async () => {
    const made = await workflow();
    const outputDir = join(folder, `out-${made.id}`);
    const hangs = 'sbatch "$@"; sleep 60';
    const dead = 'echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1';
    const blind = tools({ sbatch: hangs, squeue: dead }, { outputDir, atMostMs: 3000 });
    await expect(submitAllocations(blind, requestOf(made, 1))).rejects.toThrow(/stays "submitting"/);
    expect(await recordsOf(made.id)).toMatchObject([{ scheduler_id: 0, status: 'submitting' }]);
    await expect(settleSubmissions(blind, made.id)).rejects.toThrow(/Unable to contact/);
    const jobIds = await settleSubmissions(tools({}, { outputDir }), made.id);
    expect(jobIds).toEqual(jobsOf(made.id));
    expect(await recordsOf(made.id)).toMatchObject([{ scheduler_id: jobIds[0], status: 'pending' }]);
    expect(scripts(outputDir)).toEqual([]);
  });

  it('when the process was killed before sbatch: the script that it wrote is submitted', async () => {
    const made = await workflow();
    const outputDir = join(folder, `out-${made.id}`);
    const unreached = tools({ sbatch: 'sleep 60', squeue: 'exit 1' }, { outputDir, atMostMs: 500 });
    await expect(submitAllocations(unreached, requestOf(made, 1))).rejects.toThrow(/submitting/);
    expect([jobsOf(made.id), scripts(outputDir).length]).toEqual([[], 1]);
    const jobIds = await settleSubmissions(tools({}, { outputDir }), made.id);
    expect([jobIds.length, jobsOf(made.id)]).toEqual([1, jobIds]);
    expect(await settleSubmissions(tools({}, { outputDir }), made.id)).toEqual([]);
  });

  it('the last runner cancels the allocations that wait when no job is left', async () => {
    const made = await workflow();
    await server.client.createJob({ body: { workflow_id: made.id, name: 'only', command: 'true' } });
    await server.client.resetStatus({ params: { id: made.id } });
    await server.client.initializeJobs({ params: { id: made.id } });
    const held = await submitAllocations(tools({}), requestOf(made, 1));
    const path = [cluster.environment['PATH'], process.env['PATH']].join(delimiter);
    const environment = { ...cluster.environment, PATH: path };
    const run = ['--url', server.url, 'run', String(made.id), '-p', '0.2', '--output-dir', 'local'];
    const { code, stderr } = await torc(run, { cwd: folder, environment });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect((await recordsOf(made.id)).map(({ status }) => status)).toEqual(['canceled']);
    await until(
      () => cluster.run('squeue', '-h', '-t', 'all', '-j', String(held[0]), '-o', '%T').trim(),
      (state) => state === 'CANCELLED',
      'the allocation to be canceled',
    );
    const { items } = await server.client.listEvents({ query: { workflow_id: made.id, category: 'scheduler' } });
    expect(items.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ action: 'cancel_unneeded_pending_allocations', slurm_job_ids: [String(held[0])] }),
    );
  });
});
