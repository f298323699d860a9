import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningServer, startServer, temporaryFolder, torc, until } from './programs.ts';

/** A server beside a cluster, and what a person does there, whichever batch system it has. */
export interface BatchLane {
  readonly server: RunningServer;
  readonly folder: string;
  call(...args: readonly string[]): ReturnType<typeof torc>;
  /** Submits a workflow; its id, and the numbers of its allocations. */
  submitted(name: string, text: string): Promise<{ id: number; jobs: number[] }>;
  /** The lines of a file that jobs write; none where there is no file. */
  lines(name: string): string[];
  /** Waits for so many of them. */
  written(name: string, count: number): Promise<unknown>;
  statuses(id: number): Promise<Record<string, string>>;
  /** Waits until every job has ended well. */
  completed(id: number): Promise<unknown>;
}

export async function openBatchLane(environment: Readonly<Record<string, string | undefined>>): Promise<BatchLane> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const call = (...args: readonly string[]) => torc(['--url', server.url, ...args], { cwd: folder, environment });
  const lines = (name: string) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  const statuses = async (id: number) =>
    Object.fromEntries(
      (await server.client.listJobs({ query: { workflow_id: id } })).items.map(({ name, status }) => [
        name,
        status ?? '',
      ]),
    );
  return {
    server,
    folder,
    call,
    lines,
    statuses,
    async submitted(name, text) {
      writeFileSync(join(folder, `${name}.yaml`), text);
      const args = ['-f', 'json', 'submit', `${name}.yaml`, '-o', `out-${name}`, '-p', '1'];
      const { code, stdout, stderr } = await call(...args);
      if (code !== 0) throw new Error(`submit ended with ${code}: ${stderr}`);
      const jobs = [...stderr.matchAll(/with ID=(\d+)/g)].map(([, job]) => Number(job));
      return { id: (JSON.parse(stdout) as { workflow_id: number }).workflow_id, jobs };
    },
    written: (name, count) =>
      until(
        () => lines(name).length,
        (found) => found >= count,
        `${count} lines in ${name}`,
        90_000,
      ),
    completed: (id) =>
      until(
        () => statuses(id),
        (found) => Object.values(found).every((status) => status === 'completed'),
        'all jobs to be completed',
        120_000,
      ),
  };
}
