import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { BatchSystem } from '../../src/cluster/batch/batch-system.ts';
import { openBatch } from '../../src/cluster/open-batch.ts';
import { jobOfAllocation } from '../../src/core/allocation/slurm-job.ts';
import { fireActions } from '../../src/operations/submit/fire-actions.ts';
import { settleSubmissions } from '../../src/operations/submit/settle-submissions.ts';
import type { SubmitSettings, SubmitTools } from '../../src/operations/submit/submit-tools.ts';
import { Kill, mortal } from './kill.ts';
import { type PlayedSlurm, playSlurm } from './played-slurm.ts';
import { temporaryFolder } from './programs.ts';
import { testService, type TestService } from './service.ts';

export const never = () => new Kill(Infinity, false);
/** The process of the test lives on, so the lease of what was killed in it ends by time. */
export const LEASE_MS = 61_000;

/** Each call of a program of Slurm is a step of the process that dies. */
const mortalSlurm = (slurm: BatchSystem, kill: Kill): BatchSystem => ({
  ...slurm,
  ...(Object.fromEntries(
    Object.entries(slurm).flatMap(([name, call]) =>
      typeof call === 'string' || ASKS_NOTHING.has(name)
        ? []
        : [[name, (...args: never[]) => kill.step(() => (call as (...given: never[]) => Promise<unknown>)(...args))]],
    ),
  ) as object),
});

/** They only write and read texts. */
const ASKS_NOTHING = new Set(['scriptOf', 'jobNameIn', 'takesArray', 'allocationOf']);

export interface Lane {
  readonly service: TestService;
  readonly played: PlayedSlurm;
  readonly folder: string;
  readonly id: number;
  readonly schedulerId: number;
}

let lanes = 0;

/** A workflow with an action that asks for allocations, and a Slurm that has none. */
export async function lane(allocations: number): Promise<Lane> {
  const service = testService();
  const { client } = service;
  // Tokens follow from the creation time of the workflow, and processes of other tests are looked at as well.
  lanes += 1;
  service.clock.now += process.pid * 1000 + lanes;
  const folder = temporaryFolder();
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'tester' } })) as { id: number };
  const scheduler = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '01:00:00' };
  const schedulerId = (await client.createSlurmScheduler({ body: scheduler })).id;
  const config = { scheduler_type: 'slurm', scheduler_id: schedulerId, num_allocations: allocations };
  const trigger = { trigger_type: 'on_workflow_start', trigger_count: 1 };
  const body = { workflow_id: id, ...trigger, action_type: 'schedule_nodes', action_config: config };
  await client.createWorkflowAction({ params: { id }, body });
  return { service, played: playSlurm(folder), folder, id, schedulerId };
}

interface ToolsOptions {
  readonly kill?: Kill;
  readonly mostTasks?: number;
  readonly client?: Client;
  readonly settings?: Partial<SubmitSettings>;
}

export const toolsOf = (
  { service, played, folder }: Lane,
  { kill = never(), mostTasks = 1, client = service.client, settings = {} }: ToolsOptions = {},
): SubmitTools & { readonly warnings: string[]; readonly held: string[] } => {
  const warnings: string[] = [];
  const held: string[] = [];
  return {
    client: mortal(client, kill),
    slurm: mortalSlurm(openBatch({ ...process.env, ...played.environment }), kill),
    settings: {
      url: 'http://localhost',
      outputDir: join(folder, 'out'),
      pollIntervalSeconds: 1,
      claimBackoffMaxSeconds: undefined,
      tlsCaCert: undefined,
      tlsInsecure: false,
      keepsScripts: false,
      ...settings,
    },
    onSubmitted: () => {},
    onWarning: (words) => warnings.push(words),
    onHeld: ({ allocations, why }) => held.push(`${allocations}: ${why}`),
    retryMs: 1,
    mostTasks: () => Promise.resolve(mostTasks),
    warnings,
    held,
  };
};

/** `torc submit ID`. */
export async function submit(tools: SubmitTools, { id }: Lane): Promise<void> {
  await settleSubmissions(tools, id);
  const { errors } = await fireActions(tools, id);
  if (errors.length > 0) throw new Error(errors.join('; '));
}

export const recordsOf = async ({ service, id }: Lane) =>
  (await service.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items;

/** The law: as many jobs as were asked for, each known by one record, and each record with a job. */
export async function expectEachOnce(of: Lane, allocations: number, place: string): Promise<void> {
  const records = await recordsOf(of);
  const known = records.map((record) => String(jobOfAllocation(record))).toSorted();
  expect([place, of.played.jobs().toSorted(), records.map(({ status }) => status)]).toEqual([
    place,
    known,
    Array.from({ length: allocations }, () => 'pending'),
  ]);
  expect([place, scripts(of)]).toEqual([place, []]);
}

export const scripts = ({ folder }: Lane): string[] =>
  readdirSync(join(folder, 'out')).filter((name) => name.endsWith('.sh'));
