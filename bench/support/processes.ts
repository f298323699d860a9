import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a process used of the machine: its own CPU time, without that of its children, and the largest memory. */
export interface Use {
  readonly cpuSeconds: number;
  /** Of it, the first thread, which executes the program; the others collect garbage, compile and copy files. */
  readonly firstThreadSeconds: number;
  readonly peakMegabytes: number;
}

const SAMPLE_MS = 50;

/** Watches a process until it ends; the last look may miss its last few milliseconds. */
export function watchUse(pid: number): { stop(): Use } {
  let use: Use = { cpuSeconds: 0, firstThreadSeconds: 0, peakMegabytes: 0 };
  const look = () => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      use = {
        cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
        // In nanoseconds (https://docs.kernel.org/scheduler/sched-stats.html).
        firstThreadSeconds: Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9,
        peakMegabytes: peak === undefined ? use.peakMegabytes : Number(peak) / 1024,
      };
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, SAMPLE_MS);
  look();
  return {
    stop() {
      look();
      clearInterval(timer);
      return use;
    },
  };
}

export interface Timed extends Use {
  readonly seconds: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** Runs a program to its end and says how long it took and what it used. */
export async function timed(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Timed> {
  const started = performance.now();
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const watch = watchUse(child.pid as number);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { seconds: (performance.now() - started) / 1000, code, ...said, ...watch.stop() };
}

/** Runs commands of the package against a server; one that fails ends the measurement. */
export const commandsOf =
  (folder: string, cwd: string, url: string) =>
  async (...args: string[]): Promise<Timed> => {
    const env = { ...process.env, TORC_API_URL: url };
    const ran = await timed(join(folder, 'bin/torc'), args, { cwd, env });
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ran;
  };

export interface BenchServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly child: ChildProcess;
  use(): Use;
  /** Memory in use now, in MB. */
  resident(): number;
  stop(): Promise<void>;
}

/** The port that a server says on its standard output. */
export const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((found) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const reported = /TORC_SERVER_PORT=(\d+)/.exec(text)?.[1];
      if (reported !== undefined) found(Number(reported));
    });
  });

/** Starts the packaged server on a fresh database. */
export async function startServer(folder: string, cwd: string, options: readonly string[] = []): Promise<BenchServer> {
  const child = spawn(
    join(folder, 'bin/torc-server'),
    ['run', '--host', '127.0.0.1', '--port', '0', '--database', join(cwd, 'torc.db'), ...options],
    {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, RUST_LOG: 'warn' },
    },
  );
  const port = await portOf(child);
  const watch = watchUse(child.pid as number);
  return {
    url: `http://127.0.0.1:${port}/torc-service/v1`,
    port,
    pid: child.pid as number,
    child,
    use: watch.stop,
    resident: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    async stop() {
      watch.stop();
      child.kill('SIGTERM');
      await new Promise((done) => child.once('close', done));
    },
  };
}

/** The path of a program on PATH. */
export function which(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

/** What the measurement ran on. */
export function machine(): string {
  // A copy of the files has no commits.
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  const commit = stdout.trim() || 'unknown';
  const cpu = /model name\s+: (.*)/.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? 'unknown CPU';
  const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
  return `Node ${process.version}, commit ${commit}, ${cpu}, load ${load}`;
}
