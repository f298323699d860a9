import { readdirSync, readFileSync } from 'node:fs';
import type { RunningServer } from '../support/programs.ts';
import type { Cluster } from './cluster.ts';

/** A busy machine may need several times as long as what is promised. */
const FACTOR = 4;
/** A look asks the controller and reads all of /proc. */
const LOOK_MS = 250;

/** What is left of a workflow: its steps in Slurm, and the processes of its jobs on all nodes, which share a process table. */
export function leftovers({ cluster, server }: { readonly cluster: Cluster; readonly server: RunningServer }) {
  const { port } = new URL(server.url);

  const steps = (id: number): string[] =>
    cluster
      .run('squeue', '--steps', '-h', '-o', '%j')
      .split('\n')
      .filter((name) => name.startsWith(`wf${id}_`));

  const processes = (id: number): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        const environment = environmentOf(pid);
        return (
          environment.includes(`TORC_WORKFLOW_ID=${id}`) &&
          environment.some((entry) => entry.startsWith('TORC_API_URL=') && entry.includes(`:${port}/`))
        );
      });

  return {
    steps,
    processes,
    /** Waits until nothing is left; fails with the time that this has taken, beside the promised one. */
    async gone(id: number, promisedSeconds = 15): Promise<void> {
      const startedAt = performance.now();
      for (;;) {
        const left = [...steps(id), ...processes(id).map((pid) => `process ${pid}`)];
        if (left.length === 0) return;
        const seconds = (performance.now() - startedAt) / 1000;
        if (seconds > promisedSeconds * FACTOR)
          throw new Error(
            `after ${seconds.toFixed(1)} s (promised: ${promisedSeconds}) there is still ${left.join(', ')}`,
          );
        await new Promise((done) => void setTimeout(done, LOOK_MS));
      }
    },
  };
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
