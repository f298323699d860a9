import { execFile, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const script = resolve(import.meta.dirname, '../../tests/slurm/cluster.sh');
const PATH = `${process.env['PATH']}:/usr/local/sbin:/usr/sbin:/sbin`;

/** A real cluster of Slurm on this machine; everything that is done to it happens beside this process. */
export interface NightCluster {
  /** For programs that use the cluster. */
  readonly environment: { readonly SLURM_CONF: string; readonly PATH: string };
  node(action: 'crash' | 'stop' | 'start', name: string): Promise<void>;
  controller(action: 'crash' | 'start'): Promise<void>;
  /** The output of one of Slurm's programs; times are in Unix seconds. */
  ask(program: string, ...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a cluster that ends with this process, also if it is killed; then `logs` has the logs of its daemons. */
export async function startCluster(folder: string, logs: string, size: readonly string[]): Promise<NightCluster> {
  const call = async (...args: string[]) => void (await promisify(execFile)(script, [...args, '--dir', folder]));
  const command = 'cat; cp -r "$1/log" "$2"; exec "$0" down --purge --dir "$1"';
  const guard = spawn('bash', ['-c', command, script, folder, logs], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  await call('up', ...size);
  const environment = { SLURM_CONF: join(folder, 'etc/slurm.conf'), PATH };
  return {
    environment,
    node: (action, name) => call('node', action, name),
    controller: (action) => call('controller', action),
    ask: async (program, ...args) =>
      (
        await promisify(execFile)(program, args, {
          env: { ...process.env, ...environment, SLURM_TIME_FORMAT: '%s' },
          maxBuffer: 2 ** 28,
        })
      ).stdout,
    async stop() {
      const gone = new Promise((done) => void guard.once('close', done));
      guard.stdin?.end();
      await gone;
    },
  };
}
