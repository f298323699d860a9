import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { startPbs, type PbsCluster, type PbsOptions } from './cluster.ts';

/** A cluster with a server beside it, and what a person does there. */
export interface PbsLane {
  readonly cluster: PbsCluster;
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
  /** Waits until PBS says that a job is over. */
  over(job: number): Promise<unknown>;
}

export async function openLane(options: PbsOptions = {}): Promise<PbsLane> {
  const cluster = await startPbs(options);
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const call = (...args: readonly string[]) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: { ...process.env, ...cluster.environment } });
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
    cluster,
    server,
    folder,
    call,
    lines,
    statuses,
    async submitted(name, text) {
      writeFileSync(join(folder, `${name}.yaml`), `name: ${name}\n${text}`);
      const { code, stdout, stderr } = await call(
        '-f',
        'json',
        'submit',
        `${name}.yaml`,
        '-o',
        `out-${name}`,
        '-p',
        '1',
      );
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
    over: (job) =>
      until(
        () => cluster.field(job, 'job_state'),
        (state) => state === 'F',
        `job ${job} to end`,
        60_000,
      ),
  };
}

/** Two jobs one after the other; the first writes when it begins and ends, and waits for a file between. */
export const waitingFlow = (name: string, { walltime = '00:10:00', more = '' } = {}): string => `
pbs_schedulers: [{name: s, walltime: "${walltime}", select: "1:ncpus=2:mem=500mb"${more}}]
resource_requirements: [{name: r, num_cpus: 1, memory: 50m, runtime: PT1S}]
jobs:
  - {name: first, command: "echo began >> ${name}.first; until [ -e ${name}.go ]; do sleep 0.1; done; echo done >> ${name}.first", resource_requirements: r}
  - {name: last, command: "echo last >> ${name}.last", depends_on: [first], resource_requirements: r}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: pbs}
`;
