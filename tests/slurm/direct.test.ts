import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { leftovers } from './leftovers.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

const small = 'resource_requirements:\n  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}\n';

describe.skipIf(slurmIsMissing !== undefined)('an allocation that Slurm changes or ends', { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  let lane: ReturnType<typeof byHand>;
  /** What takes long was begun before the first test. */
  let begun: Record<
    'steps' | 'processes' | 'longer' | 'killed' | 'late' | 'twice' | 'memory' | 'submits',
    { id: number; job: string }
  >;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3, cpusPerNode: 16, set: ['KillWait=20', 'JobAcctGatherFrequency=30'] });
    folder = temporaryFolder();
    server = await startServer(folder);
    lane = byHand({ cluster, folder, server });
    const [steps, process_, longerOne, killedOne, lateOne, twiceOne, memoryOne, submitsOne] = await Promise.all([
      requeued('steps', 'slurm'),
      requeued('processes', 'direct'),
      longer(),
      killed(),
      late(),
      twice(),
      memory(),
      submits(),
    ]);
    begun = {
      steps,
      processes: process_,
      longer: longerOne,
      killed: killedOne,
      late: lateOne,
      twice: twiceOne,
      memory: memoryOne,
      submits: submitsOne,
    };
  }, 240_000);

  /** Jobs that wait for a file, in an allocation that is requeued while they run. */
  const requeued = async (name: string, mode: string) => {
    const id = await lane.created(
      name,
      `${small}execution_config: {mode: ${mode}}
jobs: [{name: "${name}_{i}", parameters: {i: "1:4"}, resource_requirements: small, command: "touch ${name}-{i}-$TORC_ATTEMPT_ID; until [ -e go ]; do sleep 0.1; done"}]
`,
    );
    const job = lane.allocated(id, ['-c', '4', '--mem=400M', '-t', '10', '--requeue', '--open-mode=append']);
    await lane.there(`${name}-`, 4);
    cluster.run('scontrol', 'requeue', job);
    return { id, job };
  };

  /** A job that takes longer than the time limit at its start, which is raised. */
  const longer = async () => {
    const id = await lane.created(
      'longer',
      `${small}execution_config: {sigkill_headroom_seconds: 15, sigterm_lead_seconds: 15}
jobs: [{name: long, resource_requirements: small, command: "touch longer-1; sleep 40"}]
`,
    );
    const job = lane.allocated(id, ['-c', '1', '--mem=400M', '-t', '1']);
    await lane.there('longer-', 1);
    cluster.run('scontrol', 'update', `JobId=${job}`, 'TimeLimit=10');
    return { id, job };
  };

  /** A runner that is killed while its jobs run: one as a process, one that left its session. */
  const killed = async () => {
    const id = await lane.created(
      'killed',
      `${small}jobs:
  - {name: plain, resource_requirements: small, command: "touch plain-1; sleep 600"}
  - {name: apart, resource_requirements: small, command: "setsid sleep 600 & touch plain-2; wait"}
`,
    );
    const job = lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10']);
    await lane.there('plain-', 2);
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
    process.kill(items[0]?.pid as number, 'SIGKILL');
    return { id, job };
  };

  /** Two runners that share a node without knowing it. */
  const twice = async () => {
    const id = await lane.created(
      'twice',
      `${small}jobs: [{name: one, resource_requirements: small, command: "until [ -e done ]; do sleep 0.1; done"}]\n`,
    );
    return {
      id,
      job: lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10'], (runner) => [
        `${runner} &`,
        'sleep 2',
        runner,
        'wait',
      ]),
    };
  };

  /** A job that uses more than the whole allocation has, beside a modest one. */
  const memory = async () => {
    const id = await lane.created(
      'memory',
      `resource_requirements:
  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}
  - {name: wrong, num_cpus: 1, memory: 400m, runtime: PT1M}
execution_config: {}
resource_monitor: {enabled: true, granularity: summary, sample_interval_seconds: 60}
jobs:
  - {name: greedy, resource_requirements: wrong, command: "head -c 900M /dev/zero | tail | (head -c 1 > /dev/null; sleep 600)"}
  - {name: modest, resource_requirements: small, command: "sleep 4"}
`,
    );
    return { id, job: lane.allocated(id, ['-c', '2', '--mem=500M', '-t', '10']) };
  };

  /** Jobs that submit a Slurm job each, which runs on the same node with more memory than they asked for. */
  const submits = async () => {
    const id = await lane.created(
      'submits',
      `${small}execution_config: {}
resource_monitor: {enabled: true, granularity: summary, sample_interval_seconds: 1}
jobs:
  - {name: plain, resource_requirements: small, command: "./submit-other plain; until [ -e submits-seen ]; do sleep 0.1; done"}
  - {name: greedy, resource_requirements: small, command: "./submit-other greedy; head -c 200M /dev/zero | tail | sleep 600"}
`,
    );
    const other = [
      '#!/bin/bash',
      // One process descends from the script, the other is a daemon.
      "hog='head -c 150M /dev/zero | tail | (until [ -e submits-go ]; do sleep 0.1; done; cat > /dev/null)'",
      '(setsid bash -c "touch submits-daemon-$1; $hog; touch submits-end-$1" > /dev/null 2>&1 &)',
      'touch submits-script-$1',
      'bash -c "$hog"',
      'until [ -e submits-end-$1 ]; do sleep 0.1; done',
    ];
    writeFileSync(join(folder, 'other.sh'), `${other.join('\n')}\n`);
    // A person's sbatch: with the whole environment of the job.
    const submit = [
      '#!/bin/bash',
      'unset ${!SLURM_MEM@} ${!SLURM_CPU@} ${!SLURM_NTASKS@}',
      'sbatch --parsable -w "$SLURMD_NODENAME" -c 1 --mem=600M -t 5 -o /dev/null other.sh $1 > submits-id-$1',
      'until [ -e submits-script-$1 ] && [ -e submits-daemon-$1 ]; do sleep 0.1; done',
    ];
    writeFileSync(join(folder, 'submit-other'), `${submit.join('\n')}\n`, { mode: 0o755 });
    return { id, job: lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10', '-w', nodeName(3)]) };
  };

  /** A job that does not fit into the time that is left. */
  const late = async () => {
    const id = await lane.created(
      'late',
      `resource_requirements:
  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}
  - {name: hour, num_cpus: 1, memory: 50m, runtime: PT1H}
jobs:
  - {name: short, resource_requirements: small, command: "touch late-1; until [ -e asked ]; do sleep 0.1; done"}
  - {name: hour, resource_requirements: hour, command: "true"}
`,
    );
    return { id, job: lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10']) };
  };

  it('jobs that are signaled with their runner are terminated, and have their time to clean up', async () => {
    const id = await lane.created(
      'cancel',
      `${small}execution_config: {sigterm_lead_seconds: 5}
jobs:
  - {name: "plain_{i}", parameters: {i: "1:4"}, resource_requirements: small, command: "touch cancel-p{i}; sleep 600"}
  - {name: "clean_{i}", parameters: {i: "1:4"}, resource_requirements: small, command: "trap 'sleep 1; touch cleaned-{i}; exit 3' TERM; touch cancel-c{i}; while :; do sleep 0.1; done"}
  - {name: "deaf_{i}", parameters: {i: "1:4"}, resource_requirements: small, command: "trap '' TERM; touch cancel-d{i}; sleep 600"}
`,
    );
    const job = lane.allocated(id, ['-c', '12', '--mem=1000M', '-t', '10']);
    await lane.there('cancel-', 12);
    const { stdout } = await lane.call('-f', 'json', 'jobs', 'running', String(id));
    const running = (JSON.parse(stdout) as { items: { scheduler_job_id?: string }[] }).items;
    expect(running.map(({ scheduler_job_id: reported }) => reported)).toEqual(Array.from({ length: 12 }, () => job));
    cluster.run('scancel', job);
    const results = await lane.finished(id);
    const ends = Object.entries(results).map(([name, { status, return_code: code }]) => `${name} ${status} ${code}`);
    expect(ends.sort()).toEqual(
      [
        ...[1, 2, 3, 4].map((i) => `clean_${i} terminated 3`),
        ...[1, 2, 3, 4].map((i) => `deaf_${i} terminated 137`),
        ...[1, 2, 3, 4].map((i) => `plain_${i} terminated 143`),
      ].sort(),
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('cleaned-'))).toHaveLength(4);
  });

  it('two runners on a node that both offer all of it say so, and --is-subtask is named', async () => {
    const { id } = begun.twice;
    await until(
      async () => {
        try {
          return lane.logOf(id);
        } catch {
          return '';
        }
      },
      (text) => /Another runner .*--is-subtask/.test(text),
      'the warning in the log',
    );
    writeFileSync(join(folder, 'done'), '');
    await lane.finished(id);
  });

  it('a job that needs more memory than the allocation has is ended before Slurm ends all of it', async () => {
    const { id } = begun.memory;
    const results = await lane.finished(id);
    expect(
      Object.fromEntries(Object.entries(results).map(([name, each]) => [name, `${each.status} ${each.return_code}`])),
    ).toEqual({
      greedy: 'failed 137',
      modest: 'completed 0',
    });
  });

  it('a Slurm job that a job submits to its own node is neither counted to it nor killed with it', async () => {
    const { id } = begun.submits;
    const memoryOf = (result: Result | undefined) => result?.peak_memory_bytes ?? Number.NaN;
    const { greedy } = await until(
      () => lane.resultsOf(id),
      (results) => results['greedy'] !== undefined,
      'the job that uses too much memory to be killed',
    );
    writeFileSync(join(folder, 'submits-seen'), '');
    const { plain } = await lane.finished(id);
    expect([greedy?.return_code, plain?.status]).toEqual([137, 'completed']);
    expect(memoryOf(plain)).toBeLessThan(50 * 2 ** 20);
    expect(memoryOf(greedy)).toBeLessThan(260 * 2 ** 20);
    writeFileSync(join(folder, 'submits-go'), '');
    const states = () =>
      ['plain', 'greedy'].map((name) => {
        const job = readFileSync(join(folder, `submits-id-${name}`), 'utf8').trim();
        return cluster.run('scontrol', '-o', 'show', 'job', job).match(/JobState=(\w+)/)?.[1];
      });
    expect(
      await until(
        states,
        (found) => found.every((each) => each !== 'RUNNING' && each !== 'COMPLETING'),
        'the submitted jobs to end',
      ),
    ).toEqual(['COMPLETED', 'COMPLETED']);
    expect(readdirSync(folder).filter((name) => name.startsWith('submits-end-'))).toHaveLength(2);
  });

  it('a job whose runtime cannot fit the time that is left is not started, and diagnose and explain say so', async () => {
    const { id } = begun.late;
    await lane.there('late-', 1);
    const diagnosis = await lane.call('workflows', 'diagnose', String(id));
    expect(diagnosis.stdout).toContain('1 ready job is longer than the remaining time of every runner');
    const hour = (await lane.jobsOf(id)).find(({ name }) => name === 'hour');
    const explained = await lane.call('jobs', 'explain', String(hour?.id));
    expect(explained.stdout).toMatch(/the job needs .*1h.*, it has /);
    writeFileSync(join(folder, 'asked'), '');
    expect(await lane.finished(id)).toMatchObject({ short: { status: 'completed' } });
    expect((await lane.jobsOf(id)).find(({ name }) => name === 'hour')?.status).toBe('ready');
    const waits = await lane.call('jobs', 'explain', String(hour?.id));
    expect(waits.stdout).not.toContain('torc run');
    expect(waits.stdout).toContain('submit to the batch system a script that starts torc-slurm-job-runner');
    expect((await lane.call('status', String(id))).stdout).toContain(
      'To start one: submit to the batch system a script that starts torc-slurm-job-runner',
    );
  });

  it('no process and no step is left of a runner that was killed, not even one that left its session', async () => {
    const { id } = begun.killed;
    await leftovers({ cluster, server }).gone(id);
    expect((await lane.jobsOf(id)).map(({ status }) => status)).toEqual(['running', 'running']);
  });

  it('a job goes on when its allocation was made longer', async () => {
    const results = await lane.finished(begun.longer.id);
    expect(results['long']).toMatchObject({ status: 'completed', return_code: 0 });
    expect(lane.logOf(begun.longer.id)).toContain('The end of the allocation has changed');
  });

  it.for(['steps', 'processes'] as const)(
    '%s of a requeued allocation run again in it as a new attempt, and have one result each',
    async (name) => {
      const { id, job } = begun[name];
      await lane.there(`${name}-`, 8);
      writeFileSync(join(folder, 'go'), '');
      const results = await until(
        () => lane.resultsOf(id),
        (found) => Object.keys(found).length === 4,
        'the jobs to be completed',
      );
      expect(Object.values(results).map((each) => `${each.status} ${each.attempt_id}`)).toEqual(
        Array.from({ length: 4 }, () => 'completed 2'),
      );
      const names = cluster
        .run('sacct', '-D', '-n', '-P', '-j', job, '-o', 'JobName')
        .split('\n')
        .filter((name) => name.startsWith(`wf${id}_j`));
      expect([names.length, new Set(names).size]).toEqual(name === 'steps' ? [8, 8] : [0, 0]);
    },
  );
});
