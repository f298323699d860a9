import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stepIdOf } from '../../src/core/contract/files/job.ts';
import { messageLine, type LauncherOrder, type LauncherReport } from '../../src/runner/step/batch/protocol.ts';
import { workplace } from './package.ts';

const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };

/**
 * Jobs a second of the launcher of a long step, without Slurm, runner and server: it gets all `true` at once, and starts each in
 * one of so many places. Counted from its first start to the last end.
 */
export async function launcherAlone(
  folder: string,
  { jobs, places }: { readonly jobs: number; readonly places: number },
): Promise<number> {
  const outputDir = workplace('launcher');
  mkdirSync(join(outputDir, 'job_stdio'));
  const facts = {
    workflowId: 1,
    runId: 1,
    apiUrl: '',
    outputDir,
    submissionDirectory: undefined,
    execution: {},
    variables: [],
  };
  const child = spawn(process.execPath, [join(folder, 'bin/torc.mjs'), 'step-launcher', 'bench'], {
    cwd: outputDir,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const order = (...orders: readonly LauncherOrder[]) => void child.stdin.write(orders.map(messageLine).join(''));
  const idOf = (job: number) => stepIdOf(facts, { id: job, attempt_id: 1 });
  const startOf = (job: number): LauncherOrder => ({
    do: 'start',
    job: { id: job, workflow_id: 1, name: `j${job}`, command: 'true', attempt_id: 1, need },
    gpus: [],
    ...(job > places ? { after: idOf(job - places) } : {}),
  });
  let started = 0;
  let ended = 0;
  order({
    do: 'begin',
    facts,
    sonar: false,
    beside: { defaultRequirementsId: undefined, bytes: 0, reachesAll: false },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const report = JSON.parse(line) as LauncherReport;
    if (report.is === 'ready') {
      started = performance.now();
      order(...Array.from({ length: jobs }, (_, at) => startOf(at + 1)));
    }
    if (report.is === 'changed') ended += report.ended.length;
    if (ended === jobs) break;
  }
  const seconds = (performance.now() - started) / 1000;
  order({ do: 'end' });
  return jobs / seconds;
}
