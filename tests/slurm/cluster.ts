import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { whenOver } from '../support/over.ts';
import { programFolder } from '../support/packed.ts';

/** A real Slurm cluster for one test file: its own controller, accounting, database, keys and ports. */
export interface Cluster {
  /** What a person on its login node has: `SLURM_CONF`, and torc and Slurm on PATH. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a program to its end; throws with what it printed unless it exits with 0. */
  run(program: string, ...args: readonly string[]): string;
  /** Its processes whose command lines match; other clusters on this machine may have jobs of the same numbers. */
  processes(pattern: string): number[];
  /** Ends the node and its steps at once, ends its slurmd alone, or starts it again. */
  node(action: 'crash' | 'stop' | 'start', name: string): void;
  /** A daemon is stopped and started with SIGSTOP and SIGCONT: it neither answers nor loses anything. With SIGTERM it saves its state and ends. */
  signal(daemon: 'slurmctld' | 'slurmdbd', signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** Starts the daemons that have ended. */
  again(): void;
}

const script = resolve(import.meta.dirname, 'cluster.sh');
const bin = programFolder();
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];

const SLURMS = ['slurmctld', 'slurmd', 'slurmdbd', 'sbatch'];
const OTHERS = ['munged', 'mariadbd'];

/** The programs of another release than the installed one: a folder with bin, sbin and lib/slurm, or a tar archive of such a folder. */
const given = process.env['TORC_TEST_SLURM'] || undefined;

/**
 * Why no cluster of the installed Slurm, or of the given programs of another release, can run here; undefined where one can. Without control
 * groups a cluster would differ from those of sites in what its signals reach.
 */
export function whyNoSlurm(slurm?: string): string | undefined {
  if (slurm !== undefined && !existsSync(slurm)) return `there is no ${slurm}`;
  const programs = slurm === undefined ? [...SLURMS, ...OTHERS] : OTHERS;
  const missing = programs.filter((program) => !folders.some((folder) => isProgram(join(folder, program))));
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  // Without systemd, Slurm 22.05 uses the groups of version 1 alone; those of version 2 are beside them, or in their place.
  const [version, groups] =
    slurm === undefined
      ? ([1, ['freezer', 'memory']] as const)
      : ([2, [existsSync('/sys/fs/cgroup/cgroup.controllers') ? '' : 'unified']] as const);
  for (const group of groups) {
    const path = join('/sys/fs/cgroup', group, `torc-tests-${process.pid}`);
    try {
      mkdirSync(path);
      rmdirSync(path);
    } catch (error) {
      return `no control groups of version ${version} can be made: ${(error as Error).message}`;
    }
  }
  if (slurm === undefined) return undefined;
  const place = mkdtempSync(join(tmpdir(), 'torc-slurm-'));
  const { status, stderr, error } = spawnSync(script, ['check', '--slurm', resolve(slurm), '--dir', place], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** Why these tests are skipped here; undefined where they run. */
export const slurmIsMissing = whyNoSlurm(given);
if (slurmIsMissing !== undefined)
  console.error(`Tests on ${given ?? 'the installed Slurm'} are skipped: ${slurmIsMissing}`);

/** Memory is limited by Slurm's polling, not by the kernel: Slurm says that the step was CANCELLED then. */
export const memoryIsPolled = given !== undefined;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const FIRST_PORT = 10_240;
const PORTS = 9_000;
/** From the first port of a cluster to the last: one a node, one for each daemon. */
const PORTS_OF_CLUSTER = 110;
const TRIES = 8;

/** Control groups are named after nodes, and other clusters may be on this machine. */
const PREFIX = `t${process.pid}n`;

/** The name of a node by its number, from 1 on; of several for `[2-5]`, as Slurm writes them. */
export const nodeName = (number: number | string): string => `${PREFIX}${number}`;

interface ClusterOptions {
  readonly nodes?: number;
  readonly cpusPerNode?: number;
  /** What the names of nodes begin with, where a file has several clusters at a time. */
  readonly prefix?: string;
  /** Lines of slurm.conf: `KillWait=10`. */
  readonly set?: readonly string[];
  /** The programs of another release than the installed one; those of `TORC_TEST_SLURM` if absent. */
  readonly slurm?: string | undefined;
}

/**
 * Starts a cluster with the settings of sites: processes are tracked by control groups, the kernel limits memory, and 30 s lie between SIGTERM
 * and SIGKILL. Of another release than the installed one, Slurm limits memory by polling. It ends behind the last test of the file, also if
 * the process of the tests is killed.
 *
 * Its ports are below those that the system gives to others. If another cluster takes one first, others are tried.
 */
export async function startCluster({
  nodes = 2,
  cpusPerNode = 4,
  prefix = PREFIX,
  set = [],
  slurm = given,
}: ClusterOptions = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'torc-slurm-'));
  stopWithThisProcess(folder);
  const size = ['--nodes', String(nodes), '--cpus-per-node', String(cpusPerNode), '--node-prefix', prefix];
  const release = slurm === undefined ? [] : ['--slurm', resolve(slurm)];
  await up(folder, [...size, ...set.flatMap((line) => ['--set', line]), ...release]);
  const programs =
    slurm === undefined ? [] : [join(statSync(slurm).isDirectory() ? resolve(slurm) : join(folder, 'slurm'), 'bin')];
  const environment = {
    SLURM_CONF: join(folder, 'etc/slurm.conf'),
    PATH: [bin, dirname(process.execPath), ...programs, ...folders].join(delimiter),
    USER: 'tester',
  };
  return {
    environment,
    run: (program, ...args) => run(program, args, { ...outside(), ...environment }),
    processes: (pattern) => matching(pattern).filter((pid) => isOf(pid, `SLURM_CONF=${environment.SLURM_CONF}`)),
    node: (action, name) => void run(script, ['node', action, name, '--dir', folder], outside()),
    signal(daemon, signal) {
      const [pid = ''] = run('cat', [join(folder, `run/${daemon}.pid`)], outside()).split(' ');
      process.kill(Number(pid), signal);
      if (signal === 'SIGTERM') run('tail', ['-f', '/dev/null', `--pid=${pid}`, '--sleep-interval=0.1'], outside());
    },
    again: () => void run(script, ['up', '--dir', folder], outside()),
  };
}

async function up(folder: string, options: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const base = FIRST_PORT + PORTS_OF_CLUSTER * Math.floor(Math.random() * (PORTS / PORTS_OF_CLUSTER));
    const { code, text } = await ended(['up', '--dir', folder, '--port-base', String(base), ...options]);
    if (code === 0) return;
    if (attempt === TRIES) throw new Error(`the cluster did not start:\n${text}`);
    await pause(100 * attempt);
  }
}

const ended = (args: readonly string[]): Promise<{ code: number | null; text: string }> =>
  new Promise((done) => {
    const child = spawn(script, args, { env: outside(), stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('close', (code) => done({ code, text }));
  });

/** The cluster goes when this pipe closes: at the end of the file, or when the process of the tests ends otherwise. */
function stopWithThisProcess(folder: string): void {
  const command = 'cat; exec "$0" down --purge --dir "$1"';
  const child = spawn('bash', ['-c', command, script, folder], {
    env: outside(),
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const gone = new Promise<void>((done) => child.once('close', () => done()));
  whenOver(async () => {
    child.stdin?.end();
    await gone;
  });
}

/** Without variables of a cluster in which the tests themselves may run. */
const outside = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:SLURM|SBATCH|SRUN)_/.test(name)));

/** A crash of a node with 500 processes takes 0.3 s of CPU time, and 25 s on a machine with a load of 25. */
const MOST_MS = 120_000;

function run(program: string, args: readonly string[], env: Record<string, string | undefined>): string {
  // Without an input: of a socket, bash believes that it serves a remote shell, and reads the startup files of the user.
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    // cluster.sh says what it was doing when it is ended.
    timeout: MOST_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${status ?? error?.message}:\n${stdout}${stderr}`);
}

/** Those of a user, oldest first. */
const matching = (pattern: string): number[] =>
  (spawnSync('pgrep', ['-f', pattern], { encoding: 'utf8' }).stdout ?? '').split('\n').filter(Boolean).map(Number);

/** Whether a process, or one that it started, has this variable; daemons of steps have none themselves. */
const isOf = (pid: number, variable: string): boolean =>
  [pid, ...childrenOf(pid)].some((each) => textOf(`/proc/${each}/environ`).split('\0').includes(variable));

const childrenOf = (pid: number): number[] =>
  textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
