import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CATCHABLE_SIGNALS, signalNumber } from '../../src/core/attempt/signal.ts';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

/**
 * What signals reach jobs, by how their site tracks processes, how they run and who signals. Each cell is read from what the job itself
 * wrote: a job that was asked to end has to say so.
 */

/** Two partitions, of which the second takes the nodes of the first, whose jobs have some seconds then. */
const PREEMPTION = ['PreemptType=preempt/partition_prio', 'PreemptMode=CANCEL'];
const SETTINGS = {
  'proctrack/cgroup': [],
  'proctrack/linuxproc': ['ProctrackType=proctrack/linuxproc', 'PrologFlags=Alloc'],
} as const;
type Setting = keyof typeof SETTINGS;

/** How jobs run: the settings of their workflow, and what the allocation is asked for. */
const MODES = {
  direct: ['mode: direct', ['-N1', '-c4']],
  'a runner a node': ['mode: direct', ['-N2', '--ntasks-per-node=1', '-c4']],
  'monitored nodes': ['mode: direct', ['-N2', '--ntasks-per-node=1', '-c4']],
  steps: ['mode: slurm', ['-N1', '-c4']],
  'steps of two nodes': ['mode: slurm', ['-N2', '--ntasks-per-node=1', '-c4']],
  batched: ['mode: slurm, step_batching: true', ['-N1', '-c4']],
} as const;
type Mode = keyof typeof MODES;
const isWide = (mode: Mode) => mode === 'steps of two nodes';

/** The lines of the script as `torc` writes them (`cluster/slurm/submission-script.ts`). */
const SCRIPTS: Partial<Record<Mode, (runner: string) => readonly string[]>> = {
  'a runner a node': (runner) => [`srun --ntasks-per-node=1 --wait=0 --kill-on-bad-exit=0 ${runner} --is-subtask`],
  'monitored nodes': (runner) => [
    `srun --overlap --nodes=1 --ntasks=1 --ntasks-per-node=1 --exclude="$SLURMD_NODENAME" --job-name=torc-monitor-node --wait=0 --kill-on-bad-exit=0 torc monitor-node -o monitor -i 1 &`,
    `exec ${runner}`,
  ],
};

/** Longer than the 5 s in which Slurm ends a step whose srun was killed. */
const SAVING_SECONDS = 7;

/** Writes each signal that it gets. SIGTERM ends it with 3, when its work is saved. */
const listens = (file: string) =>
  `${CATCHABLE_SIGNALS.filter((each) => each !== 'CHLD' && each !== 'CONT')
    .map(
      (each) =>
        `trap 'echo ${each} >> ${file}${each === 'TERM' ? `; : \${over:=$((SECONDS + ${SAVING_SECONDS}))}` : ''}' ${each}`,
    )
    .join('; ')}; echo ready >> ${file}; until [ -e ${file}-go ]; do sleep 0.1; ` +
  `[ -z "$over" ] || [ $SECONDS -lt $over ] || { echo saved >> ${file}; exit 3; }; done; echo done >> ${file}`;

/** Nodes that an allocation has for itself, because another one is to take them. */
const TAKEN: Readonly<Record<Mode, readonly number[]>> = {
  direct: [1],
  'a runner a node': [2, 3],
  'monitored nodes': [4, 5],
  steps: [6],
  'steps of two nodes': [7, 8],
  batched: [9],
};
const NODES = 21;

/** What became of the jobs of a cell. */
interface Cell {
  /** What the job that listens wrote. */
  readonly wrote: readonly string[];
  /** Status and return code of both jobs. */
  readonly ends: readonly string[];
}

/** A job that handles nothing. Nodes of a step of several nodes have no other job beside it. */
const plain = (file: string) =>
  `  - {name: plain, resource_requirements: one, command: "echo ready >> ${file}; sleep 600; echo over >> ${file}"}\n`;

interface Run {
  readonly id: number;
  readonly job: string;
  /** What the job that listens has written since it was ready. */
  readonly lines: () => string[];
  /** Fails with all that is known of the run. */
  readonly wait: (holds: () => Promise<boolean> | boolean, what: string) => Promise<unknown>;
  /** It goes on to its end. */
  readonly release: () => void;
}

const allModes = Object.keys(MODES) as Mode[];
const inSteps = ['steps', 'steps of two nodes'] as const satisfies readonly Mode[];
const warned = {
  direct: [', termination_signal: SIGVTALRM, sigterm_lead_seconds: 20, sigkill_headroom_seconds: 60', 'VTALRM'],
  steps: [', srun_termination_signal: "PROF@20", sigkill_headroom_seconds: 60', 'PROF'],
  'steps of two nodes': [', srun_termination_signal: "IO@20", sigkill_headroom_seconds: 60', 'IO'],
  batched: [', srun_termination_signal: "PWR@20", sigkill_headroom_seconds: 60', 'PWR'],
} as const;
const warnedModes = Object.keys(warned) as (keyof typeof warned)[];
/**
 * SIGTERM would end the job, and what stops a process stops its `sleep` too where a signal reaches all of them. SIGCHLD and SIGWINCH are not
 * passed on.
 */
const namesFor = (setting: Setting) => {
  const without = [
    'CHLD',
    'WINCH',
    'CONT',
    'TERM',
    ...(setting === 'proctrack/cgroup' ? [] : ['TSTP', 'TTIN', 'TTOU']),
  ];
  return CATCHABLE_SIGNALS.filter((name) => !without.includes(name));
};

describe.skipIf(slurmIsMissing !== undefined).each(Object.keys(SETTINGS) as Setting[])(
  'on a cluster with %s',
  (setting) => {
    let cluster: Cluster;
    let folder: string;
    let server: RunningServer;
    let lane: ReturnType<typeof byHand>;
    /** Everything runs while the tests look at one after the other. */
    let cells: Map<string, () => Promise<Cell>>;
    const prefix = `${setting === 'proctrack/cgroup' ? 'g' : 'p'}${process.pid}x`;
    const namesOf = (numbers: readonly number[]) => numbers.map((number) => `${prefix}${number}`).join();

    beforeAll(async () => {
      cluster = await startCluster({
        nodes: NODES,
        cpusPerNode: 16,
        prefix,
        set: [...SETTINGS[setting], ...PREEMPTION],
      });
      cluster.run('scontrol', 'update', 'PartitionName=debug', 'GraceTime=30', 'PriorityTier=1');
      cluster.run('scontrol', 'update', 'PartitionName=short', 'PriorityTier=10');
      folder = temporaryFolder();
      server = await startServer(folder);
      lane = byHand({ cluster, folder, server });
      const begun = <M extends Mode>(way: string, modes: readonly M[], run: (mode: M) => Promise<Cell>) =>
        modes.map((mode) => [`${way} ${mode}`, withNext(() => run(mode))] as const);
      cells = new Map([
        ...begun('warned', warnedModes, warnedCell),
        ...begun('preempted', allModes, preempted),
        ...begun('jobs cancel', allModes, jobsCanceled),
        ...begun('scancel', allModes, canceled),
        ...begun('message', allModes, messaged),
        ...begun('all', inSteps, sentAll),
      ]);
    });

    const endsOf = (mode: Mode, ...ends: readonly string[]) =>
      isSeen({ wrote: [], ends: isWide(mode) ? ends.slice(0, 1) : ends }).ends;
    const cell = (way: string, mode: Mode) => cells.get(`${way} ${mode}`)?.() ?? expect.unreachable(`${way} ${mode}`);

    let tries = 0;
    /** A job that listens, and one that SIGTERM ends, when both run. */
    const begin = async (mode: Mode, way: string, more = '', options: readonly string[] = []): Promise<Run> => {
      const file = `${mode}-${way}-${(tries += 1)}`.replaceAll(' ', '-');
      const [execution, place] = MODES[mode];
      const id = await lane.created(
        file,
        `execution_config: {${execution}${more}}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M${isWide(mode) ? ', num_nodes: 2' : ''}}]
jobs:
  - {name: listens, resource_requirements: one, command: ${JSON.stringify(listens(file))}}
${isWide(mode) ? '' : plain(file)}`,
      );
      const nodes = way === 'preempted' ? ['-w', namesOf(TAKEN[mode])] : ['-x', namesOf(Object.values(TAKEN).flat())];
      const job = lane.allocated(id, [...place, ...nodes, '--mem=300M', '-t', '10', ...options], SCRIPTS[mode]);
      const all = () => linesOf(join(folder, file));
      const lines = () => all().filter((line) => line !== 'ready');
      const wait = (holds: () => Promise<boolean> | boolean, what: string) =>
        until(holds, (yes) => yes, `${file}: ${what}`, 240_000).catch((error: unknown) => {
          const known = [(error as Error).message, all().join(), lane.logOf(id), lane.outputOf(id)];
          throw new Error(`${known.join('\n')}\n${cluster.run('squeue', '-s', '-j', job)}`);
        });
      await wait(() => all().length - lines().length === (isWide(mode) ? 1 : 2), 'its jobs to run');
      return {
        id,
        job,
        lines,
        wait,
        release: () => writeFileSync(join(folder, `${file}-go`), ''),
      };
    };

    const over = async ({ id, lines, wait }: Run): Promise<Cell> => {
      const jobsOf = () => lane.jobsOf(id);
      await wait(async () => {
        const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
        const areOver = (await jobsOf()).every(({ status }) => ENDED.has(status ?? ''));
        return areOver && items.every(({ is_active: isActive }) => isActive === false);
      }, 'its jobs to end and its runners to leave');
      const results = await lane.resultsOf(id);
      const ends = (await jobsOf()).map(({ name, status }) => `${name} ${status} ${results[name]?.return_code}`);
      return isSeen({ wrote: lines(), ends: ends.toSorted() });
    };

    /**
     * Where a signal reaches all processes of a job, one after another, a script whose `sleep` was killed goes on to its next line, and its end
     * proves nothing: whatever it is, it is none of success. A step of several nodes may get it from each of them.
     */
    const isSeen = ({ wrote, ends }: Cell): Cell =>
      setting === 'proctrack/cgroup'
        ? { wrote, ends }
        : { wrote: [...new Set(wrote)].filter((line) => line !== 'over'), ends: ends.map(withoutPlainFailure) };

    const jobsCanceled = async (mode: Mode) => {
      const run = await begin(mode, 'jobs-cancel');
      const jobs = (await lane.jobsOf(run.id)).map((job) => String(job.id));
      await lane.call('jobs', 'cancel', ...jobs, '--no-prompts');
      return over(run);
    };

    const canceled = async (mode: Mode) => {
      const run = await begin(mode, 'scancel');
      cluster.run('scancel', run.job);
      return over(run);
    };

    const preempted = async (mode: Mode) => {
      const run = await begin(mode, 'preempted');
      const place = ['-w', namesOf(TAKEN[mode]), '-N', String(TAKEN[mode].length), '--exclusive'];
      cluster.run('sbatch', '-p', 'short', ...place, '-t', '1', '-o', '/dev/null', '--wrap', 'true');
      return over(run);
    };

    /** Of an allocation without steps, Slurm signals the script alone, and only if it is asked to. */
    const addressOf = (mode: Mode, { job }: Run) =>
      mode === 'direct' || mode === 'monitored nodes' ? ['--batch', job] : [job];

    const messaged = async (mode: Mode) => {
      const run = await begin(mode, 'message');
      // The process of a runner that has not begun is ended by such a signal.
      const runners = async () => server.client.listComputeNodes({ query: { workflow_id: run.id } });
      const expected = mode === 'a runner a node' ? 2 : 1;
      await run.wait(async () => (await runners()).items.length === expected, 'its runners to register');
      cluster.run('scancel', '-s', 'USR2', ...addressOf(mode, run));
      await run.wait(() => run.lines().length > 0, 'a signal to arrive');
      // The runner looks at what the job handles while it runs: it has, when the other job has ended by the signal.
      const hasEnded = async () =>
        (await lane.jobsOf(run.id)).some(({ name, status }) => name === 'plain' && ENDED.has(status ?? ''));
      if (!isWide(mode)) await run.wait(hasEnded, 'the other job to end by the signal');
      run.release();
      return over(run);
    };

    const sentAll = async (mode: Mode) => {
      const run = await begin(mode, 'all');
      for (const [at, name] of namesFor(setting).entries()) {
        // By its number: scancel does not know all names.
        cluster.run('scancel', '-s', String(signalNumber(name)), run.job);
        await run.wait(() => run.lines().length > at, `SIG${name} to arrive`);
      }
      run.release();
      return over(run);
    };

    const warnedCell = async (mode: keyof typeof warned) => {
      const run = await begin(mode, 'warned', warned[mode][0], ['-t', '4']);
      await run.wait(() => run.lines().length > 0, 'a signal to arrive');
      run.release();
      return over(run);
    };

    it.each(allModes)(
      'a signal reaches jobs once if a person cancels them, and they save their work: %s',
      async (mode) => {
        const { wrote, ends } = await cell('jobs cancel', mode);
        // The runner and the shell send it once (their own tests); scancel was seen to deliver it twice on a busy machine.
        expect({ wrote: [...new Set(wrote)], ends }).toEqual({
          wrote: ['TERM', 'saved'],
          ends: endsOf(mode, 'listens canceled 3', 'plain canceled 143'),
        });
      },
    );

    it.each(allModes)(
      'a signal reaches jobs once if their allocation is canceled, and they save their work: %s',
      async (mode) => {
        expect(await cell('scancel', mode)).toEqual({
          wrote: ['TERM', 'saved'],
          ends: endsOf(mode, 'listens terminated 3', 'plain terminated 143'),
        });
      },
    );

    it.each(allModes)(
      'a signal reaches jobs once if their allocation is preempted, and they save their work: %s',
      async (mode) => {
        expect(await cell('preempted', mode)).toEqual({
          wrote: ['TERM', 'saved'],
          ends: endsOf(mode, 'listens terminated 3', 'plain terminated 143'),
        });
      },
    );

    it.each(allModes)('a signal that is a message to jobs reaches them once, and they go on: %s', async (mode) => {
      expect(await cell('message', mode)).toEqual({
        wrote: ['USR2', 'done'],
        // The other one does not handle it: 128 and its number.
        ends: endsOf(mode, 'listens completed 0', 'plain failed 140'),
      });
    });

    it.each(inSteps)('a signal reaches jobs once, whichever it is: %s', async (mode) => {
      expect((await cell('all', mode)).wrote).toEqual([...namesFor(setting), 'done']);
    });

    it.each(warnedModes)(
      'the signal before the end of the allocation is the one that the workflow names: %s',
      async (mode) => {
        const { wrote, ends } = await cell('warned', mode);
        expect([wrote, ends[0]]).toEqual([[warned[mode][1], 'done'], 'listens completed 0']);
      },
    );
  },
);

/** Begins at once; a second call, of the second try of its test, begins again. */
function withNext(run: () => Promise<Cell>): () => Promise<Cell> {
  let first: Promise<Cell> | undefined = run();
  first.catch(() => {});
  return () => {
    const cell = first ?? run();
    first = undefined;
    return cell;
  };
}

const withoutPlainFailure = (end: string) => end.replace(/^plain (?:failed|terminated) \d+$/, 'plain failed');

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'terminated', 'canceled']);

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
