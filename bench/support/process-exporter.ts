import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Debian's program of the package of this name. */
const PROGRAM = 'prometheus-process-exporter';
const WAIT_MS = 50;
const TRIES = 200;
const MS_PER_TICK = 10;

export interface ProcessExporter {
  /** Asks for its metrics; returns how many present processes it listed: those that ended stay, with 0. */
  scrape(): Promise<number>;
  /** CPU milliseconds so far. */
  cpuMs(): number;
  stop(): void;
}

/**
 * process-exporter, which lists each process by itself, as a sample does, without what a sample has not: threads and
 * proportional sizes. Undefined where it is not installed.
 */
export async function startProcessExporter(): Promise<ProcessExporter | undefined> {
  if (spawnSync(PROGRAM, ['-version']).error !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'torc-bench-exporter-'));
  const config = join(folder, 'config.yaml');
  writeFileSync(config, 'process_names:\n  - name: "{{.Comm}} {{.PID}}"\n    cmdline: [".+"]\n');
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    PROGRAM,
    [
      '-config.path',
      config,
      '-web.listen-address',
      address,
      '-threads=false',
      '-gather-smaps=false',
      '-children=false',
    ],
    { stdio: 'ignore' },
  );
  const stop = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const scrape = async () => {
    const text = await (await fetch(`http://${address}/metrics`)).text();
    return [...text.matchAll(/^namedprocess_namegroup_num_procs\{.*\} 1$/gm)].length;
  };
  for (let tries = 1; ; tries += 1) {
    try {
      await scrape();
      return { scrape, cpuMs: () => cpuMsOf(child.pid as number), stop };
    } catch (error) {
      if (tries === TRIES) {
        stop();
        throw error;
      }
      await pause(WAIT_MS);
    }
  }
}

function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
