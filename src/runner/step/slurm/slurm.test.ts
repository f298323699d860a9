import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { type StepAccount, type StepEnd } from '../steps.ts';
import { createSlurmSteps } from './slurm.ts';

const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
const jobOf = (id: number): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `job ${id}`,
  command: 'true',
  attempt_id: 1,
  resource_requirements_id: 3,
  need,
});

/** Its step goes on when it is killed. */
const OUTLIVED = 'setsid "$@" & wait $!';

/** Steps of an srun that notes that it was called, and creates no step before there is a file `go`. */
function stepsIn(folder: string, { runs = 'exec "$@"', squeue = '' } = {}) {
  const program = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/bash\n${text}`);
    chmodSync(join(folder, name), 0o755);
    return join(folder, name);
  };
  const srun = program(
    'srun',
    `touch ${folder}/called-$TORC_JOB_ID\nuntil [ -e ${folder}/go ]; do sleep 0.05; done\nwhile [[ $1 == --* ]]; do shift; done\necho $$ > ${folder}/srun-$TORC_JOB_ID\n${runs}\n`,
  );
  const list = program('squeue', squeue);
  const lines: unknown[][] = [];
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
      TORC_FAKE_SQUEUE: list,
      TORC_FAKE_SCANCEL: program('scancel', 'echo "$*" >> "${0%/*}/canceled"'),
    },
    allocation: { jobId: 1, nodes: 1, cpus: 4, memoryBytes: undefined },
    endAtMs: () => undefined,
    defaultRequirementsId: undefined,
    reachesAll: false,
    samples: false,
    client: {} as never,
    log: { write: (level, words, fields) => void lines.push([level, words, fields]), close() {} },
  });
  const ends: StepEnd[] = [];
  mkdirSync(join(folder, 'job_stdio'));
  steps.listen((ended) => ends.push(...ended));
  onTestFinished(() => steps.close());
  const called = () => readdirSync(folder).filter((name) => name.startsWith('called-')).length;
  const start = (id: number, command = 'true', cpus = 1) => {
    const asked = { ...need, num_cpus: cpus };
    return steps.start({ ...jobOf(id), command, need: asked }, { need: asked, nodes: [], gpus: [] });
  };
  const accounts = async (): Promise<readonly StepAccount[]> =>
    Promise.all(ends.map(async (end) => await steps.account(end)));
  return { steps, ends, called, start, accounts, lines };
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

it('a step that asks for more CPUs than its allocation has never calls srun, and is refused with both numbers; others run', async () => {
  const folder = temporaryFolder();
  const { ends, called, start, accounts } = stepsIn(folder);
  writeFileSync(join(folder, 'go'), '');
  start(1, 'true', 5);
  start(2, 'true', 4);
  await until(
    () => ends.length,
    (count) => count === 2,
    'both steps to end',
  );
  expect(called()).toBe(1);
  expect((await accounts()).map(({ refused, exitCode }) => refused ?? exitCode)).toEqual([
    'The step asks for 5 CPUs on a node, and allocation 1 has 4',
    0,
  ]);
});

/** A job that ends when there is a file `end`, and whose srun is killed before. */
async function killedSrun(command: (folder: string) => string, squeue: (step: string) => string) {
  const folder = temporaryFolder();
  const { steps, ends, start, accounts } = stepsIn(folder, { runs: OUTLIVED, squeue: squeue('wf7_j1_r1_a1') });
  writeFileSync(join(folder, 'go'), '');
  const { id, begun } = start(1, command(folder));
  await begun;
  process.kill(Number(readFileSync(join(folder, 'srun-1'), 'utf8')), 'SIGKILL');
  const ended = async () => {
    await until(
      () => ends.length,
      (count) => count === 1,
      'the step to end',
    );
    return (await accounts())[0];
  };
  return { folder, id, steps, ends, ended };
}

// Its folder is gone when the test is over: a job that outlives its srun must not wait for ever.
const untilEnd = (folder: string) => `while [ -d ${folder} ] && [ ! -e ${folder}/end ]; do sleep 0.05; done`;

it('a step whose srun is killed is reported when its command has ended, with the exit code of the command', async () => {
  const { folder, id, ends, ended } = await killedSrun(
    (place) => `${untilEnd(place)}; exit 3`,
    (step) => `echo "1.1|${step}"; echo >> "\${0%/*}/listed"`,
  );
  expect(id).toBe('wf7_j1_r1_a1');
  await until(
    () => linesOf(join(folder, 'listed')),
    (count) => count >= 3,
    'three questions to squeue',
  );
  expect(ends).toEqual([]);
  writeFileSync(join(folder, 'end'), '');
  expect(await ended()).toMatchObject({ exitCode: 3, signal: undefined });
});

it('a step whose srun is killed is canceled by its id, and waited for until it is over', async () => {
  const { folder, id, steps, ends, ended } = await killedSrun(untilEnd, (step) => `echo "1.4|${step}"`);
  await until(
    () => steps.signal(id, 'SIGTERM') ?? linesOf(join(folder, 'canceled')),
    (count) => count > 0,
    'a call of scancel',
  );
  expect(readFileSync(join(folder, 'canceled'), 'utf8')).toMatch(/^-s TERM 1\.4\n/);
  expect(ends).toEqual([]);
  steps.kill(id);
  expect(await ended()).toMatchObject({ exitCode: undefined, signal: 9 });
  expect(readFileSync(join(folder, 'canceled'), 'utf8')).toContain('-s KILL 1.4\n');
  writeFileSync(join(folder, 'end'), '');
});

it('a step that ended with its killed srun, so that Slurm lists it no more, was killed', async () => {
  const { folder, ended } = await killedSrun(untilEnd, () => '');
  expect(await ended()).toMatchObject({ exitCode: undefined, signal: 9, cause: 'its srun was ended by SIGKILL' });
  writeFileSync(join(folder, 'end'), '');
});

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0);

it('a node failure in the last words of srun is the end of its step, also while squeue lists it, and its exit code alone is not', async () => {
  const folder = temporaryFolder();
  const { ends, start, accounts } = stepsIn(folder, {
    runs: `setsid "$@" & until [ -e ${folder}/began-$TORC_JOB_ID ]; do sleep 0.05; done
      [ $TORC_JOB_ID = 1 ] || echo "srun: error: Node failure on n2" >&2; exit 0`,
    squeue: `echo "1.0|wf7_j1_r1_a1"; echo "1.1|wf7_j2_r1_a1"; echo >> ${folder}/listed`,
  });
  writeFileSync(join(folder, 'go'), '');
  for (const id of [1, 2]) start(id, `touch ${folder}/began-${id}; ${untilEnd(folder)}`);
  await until(
    () => linesOf(join(folder, 'listed')),
    (count) => count >= 3,
    'three questions to squeue',
  );
  expect(ends.map(({ id }) => id)).toEqual(['wf7_j2_r1_a1']);
  expect((await accounts())[0]).toMatchObject({ signal: 9, endedBy: 'node', cause: 'Slurm: its node failed' });
  writeFileSync(join(folder, 'end'), '');
});

describe('the output of a step of Slurm', () => {
  /** Runs the job `command` in a step, with words of srun before and behind it, and returns what is left when it is accounted for. */
  async function outputOf(command: (folder: string) => string) {
    const folder = temporaryFolder();
    const runs = 'echo "srun: before" >&2; echo printed; "$@"; code=$?; echo "srun: error: behind" >&2; exit $code';
    const { ends, start, accounts, lines } = stepsIn(folder, { runs });
    writeFileSync(join(folder, 'go'), '');
    start(1, command(folder));
    await until(
      () => ends.length,
      (count) => count === 1,
      'the step to end',
    );
    const [account] = await accounts();
    return {
      folder,
      account,
      lines,
      text: (end: string) => readFileSync(`${folder}/job_stdio/job_wf7_j1_r1_a1.${end}`, 'utf8'),
    };
  }

  it('the output of a step of Slurm is that of its command, in its files, and what srun says stands behind the standard error', async () => {
    const { folder, account, text } = await outputOf(() => 'echo out; echo err >&2; exit 3');
    expect(account).toMatchObject({ exitCode: 3 });
    expect([text('o'), text('e')]).toEqual(['printed\nout\n', 'err\nsrun: before\nsrun: error: behind\n']);
    const marks = readdirSync(folder).find((name) => name.startsWith('job_runner_steps')) ?? '';
    expect(readdirSync(join(folder, marks))).toEqual([]);
  });

  it('the output of a step of Slurm does not prove how it ended: a command that prints the words of a failed node has failed by itself', async () => {
    const { account } = await outputOf(() => 'echo "srun: error: Node failure on n1" >&2; exit 1');
    expect([account?.exitCode, account?.endedBy]).toEqual([1, undefined]);
  });

  it('the output of a step of Slurm is not followed through a link, and the log names the job whose words of Slurm are lost', async () => {
    const { folder, account, lines, text } = await outputOf(
      (place) =>
        `rm ${place}/job_stdio/*.e; touch ${place}/target; ln -s ${place}/target ${place}/job_stdio/job_wf7_j1_r1_a1.e`,
    );
    expect([account, text('e')]).toMatchObject([{ exitCode: 0 }, '']);
    expect(lines).toEqual([
      [
        'warn',
        'What Slurm said of a job is lost',
        expect.objectContaining({ job_name: 'job 1', reason: expect.stringContaining('ELOOP') }),
      ],
    ]);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('');
  });

  it.each<[string, (path: string, folder: string) => void, string]>([
    ['a link', (path, folder) => symlinkSync(`${folder}/target`, path), 'ELOOP'],
    ['a folder', (path) => mkdirSync(path), 'EISDIR'],
  ])(
    'the output of a step of Slurm never starts its step where %s stands in the place of its standard error',
    (_, make, code) => {
      const folder = temporaryFolder();
      const { start, called } = stepsIn(folder);
      make(`${folder}/job_stdio/job_wf7_j1_r1_a1.e`, folder);
      expect(() => start(1)).toThrow(expect.objectContaining({ code, isOfJob: true }));
      expect([called(), existsSync(`${folder}/target`)]).toEqual([0, false]);
    },
  );

  it('the output of a step of Slurm has its folders again where they were removed', async () => {
    const folder = temporaryFolder();
    const { ends, start, accounts } = stepsIn(folder);
    writeFileSync(join(folder, 'go'), '');
    for (const name of readdirSync(folder).filter((each) => each.startsWith('job_')))
      rmSync(join(folder, name), { recursive: true });
    start(1, 'echo out; exit 3');
    await until(
      () => ends.length,
      (count) => count === 1,
      'the step to end',
    );
    expect((await accounts())[0]).toMatchObject({ exitCode: 3 });
    expect(readFileSync(`${folder}/job_stdio/job_wf7_j1_r1_a1.o`, 'utf8')).toBe('out\n');
  });
});
