import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { RunFacts } from '../step/request.ts';
import { lineOf, type Order, type Report, type ToldEnd } from '../step/batch/protocol.ts';

const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
const jobOf = (id: number, command: string): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `job${id}`,
  command,
  attempt_id: 1,
  need,
});

/** A launcher that was told to begin; its ends arrive in order. */
function launcher() {
  const facts: RunFacts = {
    workflowId: 7,
    runId: 1,
    apiUrl: '',
    outputDir: temporaryFolder(),
    submissionDirectory: undefined,
    execution: {},
    variables: [],
  };
  const program = `
    import { runLauncher } from ${JSON.stringify(new URL('launcher.ts', import.meta.url).href)};
    await runLauncher({ environment: process.env, input: process.stdin, output: process.stdout });
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const order = (each: Order) => void child.stdin.write(lineOf(each));
  const ends: ToldEnd[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const report = JSON.parse(line) as Report;
    if (report.is === 'told') ends.push(...report.ended);
    for (const wake of waiting.splice(0)) wake();
  });
  order({ do: 'begin', facts, sonar: false, beside: { defaultRequirementsId: undefined, bytes: 0 } });
  return {
    start: (job: ClaimedJob) => order({ do: 'start', job, gpus: [] }),
    async ended(count: number) {
      while (ends.length < count) await new Promise<void>((wake) => void waiting.push(wake));
      return ends;
    },
    async close() {
      order({ do: 'end' });
      await once(child, 'exit');
    },
  };
}

describe('the launcher of jobs in a step', () => {
  it('the launcher of a step tells how long each job ran, and no job has more CPU time than its CPU has in that time', async () => {
    const { start, ended, close } = launcher();
    for (let id = 1; id <= 20; id += 1) start(jobOf(id, 'true'));
    start(jobOf(21, 'sleep 0.3'));
    const ends = await ended(21);
    for (const { seconds = 0, cpuSeconds = 0 } of ends) expect(cpuSeconds).toBeLessThanOrEqual(seconds * 1.05);
    const [last] = ends.filter(({ id }) => id.includes('_j21_'));
    expect(last?.seconds).toBeGreaterThanOrEqual(0.3);
    await close();
  });

  it('the launcher of a step tells no memory of a job that ended before it was measured', async () => {
    const { start, ended, close } = launcher();
    start(jobOf(1, 'true'));
    expect((await ended(1))[0]?.peakBytes).toBeUndefined();
    await close();
  });
});
