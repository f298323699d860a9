import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { type SettledEnd, type StepEnd } from '../steps.ts';
import { createSlurmSteps } from './slurm.ts';

const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
const jobOf = (id: number): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `job ${id}`,
  command: 'true',
  attempt_id: 1,
  need,
});

/** Steps of an srun that notes that it was called, and creates no step before there is a file `go`. */
function stepsIn(folder: string) {
  const program = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/bash\n${text}`);
    chmodSync(join(folder, name), 0o755);
    return join(folder, name);
  };
  const srun = program(
    'srun',
    `touch ${folder}/called-$TORC_JOB_ID\nuntil [ -e ${folder}/go ]; do sleep 0.05; done\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n`,
  );
  const nothing = program('nothing', '');
  const steps = createSlurmSteps({
    facts: {
      workflowId: 7,
      runId: 1,
      apiUrl: '',
      outputDir: folder,
      submissionDirectory: undefined,
      execution: {},
      variables: [],
    },
    environment: {
      ...process.env,
      TORC_FAKE_SRUN: srun,
      TORC_FAKE_SACCT: nothing,
      TORC_FAKE_SQUEUE: nothing,
      TORC_FAKE_SCANCEL: nothing,
    },
    allocation: { jobId: 1, nodes: 1 },
    endAtMs: () => undefined,
    defaultRequirementsId: undefined,
    reachesAll: false,
    samples: false,
    client: {} as never,
    log: { write() {}, close() {} },
  });
  const ends: StepEnd[] = [];
  steps.listen((ended) => ends.push(...ended));
  onTestFinished(() => steps.close());
  const called = () => readdirSync(folder).filter((name) => name.startsWith('called-')).length;
  const start = (id: number) => steps.start(jobOf(id), { need, nodes: [], gpus: [] });
  const accounts = async (): Promise<readonly SettledEnd[]> =>
    Promise.all(ends.map(async (end) => await steps.account(end)));
  return { steps, ends, called, start, accounts };
}

it('at most 16 steps are starting at once, and the others follow when these have begun', async () => {
  const folder = temporaryFolder();
  const { ends, called, start } = stepsIn(folder);
  for (let id = 1; id <= 20; id += 1) start(id);
  await until(called, (count) => count === 16, '16 calls of srun');
  writeFileSync(join(folder, 'go'), '');
  await until(
    () => ends.length,
    (count) => count === 20,
    'all steps to end',
  );
  expect(called()).toBe(20);
});

it('a step that is killed while it waits for its turn never calls srun, and is refused', async () => {
  const folder = temporaryFolder();
  const { steps, ends, called, start, accounts } = stepsIn(folder);
  const ids = Array.from({ length: 18 }, (_, index) => start(index + 1).id);
  await until(called, (count) => count === 16, '16 calls of srun');
  for (const id of ids) steps.signal(id, 'SIGKILL');
  await until(
    () => ends.length,
    (count) => count === 18,
    'all steps to end',
  );
  expect(called()).toBe(16);
  expect((await accounts()).every(({ refused }) => refused !== undefined)).toBe(true);
});
