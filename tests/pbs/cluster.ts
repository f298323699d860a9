import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { whenOver } from '../support/over.ts';
import { programFolder } from '../support/packed.ts';

/** A real OpenPBS cluster for one test file, with its own server, database and ports. */
export interface PbsCluster {
  /** Where all of it is; processes of its jobs have it in their variables. */
  readonly folder: string;
  /** What a person on its login node has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a program of PBS to its end; throws with what it printed unless it exits with 0. */
  run(program: string, ...args: readonly string[]): string;
  /** The value of a field of a job, ended ones included; undefined if it has none. */
  field(job: number | string, name: string): string | undefined;
  /** What the script of the cluster does: `node crash n2`, `daemon stop server`. */
  does(...words: readonly string[]): void;
}

const PLACES = [process.env['TORC_TEST_PBS'], '../../../shared/pbs', '../../../../shared/pbs'];

/** The script that starts a cluster, beside an archive of OpenPBS: a third party's program, which the project does not carry. */
const script = PLACES.flatMap((place) => (place ? [resolve(import.meta.dirname, place, 'pbs-dev')] : [])).find(
  existsSync,
);

/** Why these tests are skipped here; undefined where they run. */
export const pbsIsMissing =
  script === undefined
    ? 'there is no pbs-dev in ../shared/pbs; TORC_TEST_PBS names another folder with it and its archive of OpenPBS'
    : process.getuid?.() === 0
      ? undefined
      : 'only root can start the daemons of PBS';
if (pbsIsMissing !== undefined) console.error(`Tests on PBS are skipped: ${pbsIsMissing}`);

const PORTS_OF_CLUSTER = 200;
const TRIES = 6;

export interface PbsOptions {
  readonly nodes?: number;
  readonly cpusPerNode?: number;
  /** Directives of qmgr: `set server node_fail_requeue=310`. */
  readonly set?: readonly string[];
}

/** Starts a cluster, which ends behind the last test of the file, also if the process of the tests is killed. */
export async function startPbs({ nodes = 2, cpusPerNode = 4, set = [] }: PbsOptions = {}): Promise<PbsCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'torc-pbs-'));
  stopWithThisProcess(folder);
  const size = ['--nodes', String(nodes), '--cpus-per-node', String(cpusPerNode)];
  for (let attempt = 1; ; attempt += 1) {
    const base = 18_400 + PORTS_OF_CLUSTER * Math.floor(Math.random() * 40);
    const options = ['--dir', folder, '--port-base', String(base), ...size, ...set.flatMap((line) => ['--set', line])];
    const { code, text } = await ended(['up', ...options]);
    if (code === 0) break;
    if (attempt === TRIES) throw new Error(`the cluster did not start:\n${text}`);
    spawnSync(script as string, ['down', '--purge', '--dir', folder], { stdio: 'ignore' });
  }
  const said = spawnSync(script as string, ['env', '--dir', folder], { encoding: 'utf8' }).stdout;
  const own = Object.fromEntries(
    [...said.matchAll(/\b(PBS_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const environment = {
    ...own,
    TORC_BATCH_SYSTEM: 'pbs',
    PATH: [programFolder(), dirname(process.execPath), join(folder, 'pbs/bin'), process.env['PATH']].join(delimiter),
    USER: 'root',
  };
  const once = (program: string, args: readonly string[]) =>
    spawnSync(program, args, {
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const run = (program: string, ...args: readonly string[]) => {
    const first = once(program, args);
    // On a busy machine a server now and then refuses a client that it knows. No request was carried out then.
    const { status, stdout, stderr } = first.stderr.includes('Invalid credential') ? once(program, args) : first;
    if (status === 0) return stdout;
    throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  };
  // The number 0, which is that of the first job of a new server, means none in records of Torc.
  run('qsub', '-f', '-j', 'oe', '-o', '/dev/null', '--', '/bin/true');
  return {
    folder,
    environment,
    run,
    field(job, name) {
      const text = run('qstat', '-x', '-f', '-F', 'dsv', `${job}.pbs`);
      return new RegExp(`\\|${name}=([^|\\n]*)`).exec(text)?.[1];
    },
    does: (...words) => void run(script as string, ...words, '--dir', folder),
  };
}

const ended = (args: readonly string[]): Promise<{ code: number | null; text: string }> =>
  new Promise((done) => {
    const child = spawn(script as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('exit', (code) => done({ code, text }));
  });

/** The cluster goes when this pipe closes: at the end of the file, or when the process of the tests ends otherwise. */
function stopWithThisProcess(folder: string): void {
  const child = spawn('bash', ['-c', 'cat; exec "$0" down --purge --dir "$1"', script as string, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  whenOver(async () => {
    child.stdin?.end();
    await gone;
  });
}
