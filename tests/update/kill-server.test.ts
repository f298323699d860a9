import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { storedPlan } from '../../src/client/stored-plan.ts';
import { diffPlan } from '../../src/core/workflow-file/update/diff.ts';
import { planned } from '../spec/reading.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';
import { planText } from './specs.ts';

const SAMPLES = 2_000;

/** Two jobs a sample. Each version has other commands, and samples that the other does not have. */
function version(word: string, first: number) {
  const parameters = { i: `${first}:${first + SAMPLES - 1}` };
  return {
    name: 'samples',
    description: word,
    jobs: [
      { name: 'sort_{i}', command: `${word} sort`, output_files: ['sorted_{i}'], parameters },
      { name: 'count_{i}', command: `${word} count`, input_files: ['sorted_{i}'], parameters },
    ],
    files: [{ name: 'sorted_{i}', path: `${word}/sorted_{i}`, parameters }],
  };
}
const versions = [version('old', 1), version('new', SAMPLES / 4)];

/** How far an update is, as its database says: the steps that are stored and, once all are, those that are applied. */
interface Progress {
  readonly stored: number;
  readonly steps: number | undefined;
  readonly applied: number;
}

/** When the server is killed. The names are those of the moments; a fast server may be past one before it is seen. */
const moments: readonly (readonly [string, (progress: Progress) => boolean])[] = [
  ['as it begins', () => true],
  ['while the first steps are stored', ({ stored }) => stored > 0],
  ['while the last steps are stored', ({ stored }) => stored > 100],
  ['as the first step is applied', ({ steps, applied }) => steps !== undefined && applied > 0],
  ['in the middle', ({ steps = Infinity, applied }) => applied > steps / 2],
  ['as the last step is applied', ({ steps = Infinity, applied }) => applied > steps - 20],
  ['while the jobs get their status', ({ steps, applied }) => steps === applied],
];

it('a server process that is killed at any moment of a large update has the old or the new plan when it is back', async () => {
  const folder = temporaryFolder();
  let server = await startServer(folder);
  const id = await createWorkflow(server.client, planned(versions[0] as object), {
    user: 'tester',
    submissionDirectory: folder,
    monitorsJobs: true,
    mtimeOf: async () => 1,
  });
  await server.client.initializeJobs({ params: { id } });
  const seen = new Set<string>();
  let isNew = false;
  for (const [, isNow] of moments) {
    const [old, wanted] = [await storedPlan(server.client, id), planned(versions[isNew ? 0 : 1] as object)];
    const body = diffPlan(wanted, old).update;
    let answer: string | undefined;
    const asked = server.client.updatePlan({ params: { id }, query: {}, body }).then(
      () => (answer = 'answered'),
      () => (answer = 'killed'),
    );
    const database = new DatabaseSync(join(folder, 'server.db'), { readOnly: true });
    while (answer === undefined && !isNow(progressIn(database, id)))
      await new Promise((turn) => void setImmediate(turn));
    server.program.child.kill('SIGKILL');
    await server.program.ended;
    await asked;
    database.close();

    server = await startServer(folder, { port: server.port });
    // A write to the workflow waits until the server has finished what was left.
    await server.client.updateWorkflow({ params: { id }, body: {} });
    const found = await storedPlan(server.client, id);
    const isApplied = Object.keys(diffPlan(wanted, found).update).length === 0;
    if (!isApplied) expect(planText(found)).toEqual(planText(old));
    if (answer === 'answered') expect(isApplied).toBe(true);
    seen.add(`${answer} ${isApplied ? 'new' : 'old'}`);
    if (isApplied) isNew = !isNew;
    const { jobs_by_status: counts } = await server.client.getWorkflowStatus({ params: { id } });
    expect(counts).toMatchObject({ uninitialized: 0, ready: SAMPLES, blocked: SAMPLES });
  }
  expect([...seen]).toEqual(expect.arrayContaining(['killed old', 'killed new']));
}, 240_000);

function progressIn(database: DatabaseSync, workflowId: number): Progress {
  const { stored } = database.prepare('select count(*) as stored from plan_update_step').get() as { stored: number };
  const work = database.prepare('select parameters from workflow_work where workflow_id = ?').get(workflowId);
  const parameters = JSON.parse((work as { parameters: string } | undefined)?.parameters ?? '{}') as Partial<Progress>;
  return { stored, steps: parameters.steps, applied: parameters.applied ?? 0 };
}
