import { counted } from '../../../core/quantity/count-text.ts';
import type { Client } from '../../../client/client.ts';
import { openSsh } from '../../../cluster/ssh/ssh.ts';
import { addressOf, displayed, type Worker, workerOf } from '../../../core/remote/worker-line.ts';
import { reachable } from '../../../operations/remote/reachable.ts';
import { chooseWorkflow, openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { option } from '../../command/option.ts';
import type { Column } from '../../output/table.ts';
import { storedWorkers } from '../../remote-hosts.ts';
import { atOnceOption, workersIn } from './hosts.ts';

const skipCheck = option('--skip-ssh-check', 'store hosts without trying ssh', { isHidden: true });

const addWorkers = command('remote add-workers <workflow> <host...>', {
  says: 'Store hosts with a workflow: [user@]host[:port], which ssh reaches without a password.',
  example: '1 ada@node1 ada@node2',
  options: [skipCheck, atOnceOption],
  async run(context, [workflow, hosts], options) {
    const id = await chooseWorkflow(context, workflow);
    const workers = hosts.map((text, index) => {
      const worker = workerOf(text);
      if (typeof worker === 'string') throw new Failure(`command line:${index + 1}: ${worker}`);
      return worker;
    });
    await store(context, id, workers, options);
  },
});

const addWorkersFromFile = command('remote add-workers-from-file <file> [workflow]', {
  says: 'Store the hosts of a file with a workflow, one a line.',
  example: 'workers.txt 1',
  more: [
    'A line is [user@]host[:port]; an IPv6 address with a port stands in brackets. Options of the runner on that',
    'host may follow: --num-cpus, --memory-gb, --num-gpus, --max-parallel-jobs, --label A,B, --work-dir, --output-dir,',
    '--torc PATH. Quotes keep blanks together; ~/ and $HOME/ at the beginning of a path are the home folder on the host.',
    'Text behind # is a comment.',
  ].join(' '),
  options: [skipCheck, atOnceOption],
  async run(context, [file, workflow], options) {
    const workers = workersIn(file);
    await store(context, await chooseWorkflow(context, workflow), workers, options);
  },
});

async function store(
  context: Context,
  workflowId: number,
  given: readonly Worker[],
  { skipSshCheck, maxParallelSsh }: { readonly skipSshCheck?: boolean | undefined; readonly maxParallelSsh: number },
): Promise<void> {
  const { output } = context;
  const { client } = await context.service();
  const workers = skipSshCheck === true ? given : await checked(context, given, maxParallelSsh);
  const added = await addStored(client, workflowId, workers);
  const json = { workflow_id: workflowId, added: added.map(({ text }) => text) };
  const names = added.map(displayed).join(', ');
  const words =
    added.length === 0
      ? `All workers already exist for workflow ${workflowId}`
      : `Added ${counted(added.length, 'worker')} to workflow ${workflowId}: ${names}`;
  output.record('workers', json, words);
}

/** Stores the hosts that are not stored yet, and returns them. A line with other options replaces that of its host. */
export async function addStored(client: Client, workflowId: number, workers: readonly Worker[]): Promise<Worker[]> {
  const stored = await storedWorkers(client, workflowId);
  const fresh = workers.filter((worker) => stored.every(({ text }) => text !== worker.text));
  if (fresh.length === 0) return [];
  await client.addRemoteWorkers({ params: { id: workflowId }, body: fresh.map(({ text }) => text) });
  for (const old of stored) {
    if (fresh.some((worker) => addressOf(worker) === addressOf(old)))
      await client.removeRemoteWorker({ params: { id: workflowId, worker: old.text } });
  }
  return fresh;
}

/** The hosts that ssh reaches; the others are named. */
async function checked({ output }: Context, workers: readonly Worker[], atOnce: number): Promise<Worker[]> {
  const ssh = openSsh();
  try {
    const results = await reachable(workers, { ssh, atOnce });
    for (const { worker, message } of results)
      if (message !== undefined) output.warn(`${displayed(worker)} was not added: ${message}`);
    const passed = results.filter(({ message }) => message === undefined).map(({ worker }) => worker);
    if (passed.length === 0) throw new Failure('No workers passed SSH connectivity check');
    return passed;
  } finally {
    await ssh.close();
  }
}

const removeWorker = command('remote remove-worker <host> [workflow]', {
  says: 'Remove a host from a workflow; a runner on it is not ended.',
  async run(context, [host, workflow]) {
    const { id, client } = await openWorkflow(context, workflow);
    const rows = await client.listRemoteWorkers({ params: { id } });
    // Also a line that this torc does not read.
    const stored = rows.some(({ worker }) => worker === host) ? [] : await storedWorkers(client, id);
    const named = (namesOf: (worker: Worker) => readonly string[]) =>
      stored.filter((each) => namesOf(each).includes(host));
    const exact = named((worker) => [worker.text, displayed(worker), addressOf(worker)]);
    const all = exact.length > 0 ? exact : named((worker) => [worker.host]);
    if (all.length > 1)
      throw new Failure(
        `${host} names ${all.length} workers of workflow ${id}: ${all.map(displayed).join(', ')}; name one`,
      );
    const [found] = all;
    const reply = await client.removeRemoteWorker({ params: { id, worker: found?.text ?? host } });
    context.output.record('worker', reply, `Removed worker ${host} from workflow ${id}`);
  },
});

const columns: readonly Column<Worker>[] = [
  { title: 'Host', value: displayed, cut: 'middle', importance: 9 },
  { title: 'Options', value: ({ text }) => text.split(/\s+/).slice(1).join(' '), cut: 'end' },
];

const listWorkers = command('remote list-workers [workflow]', {
  says: 'List the hosts that are stored with a workflow.',
  async run(context, [workflow]) {
    const { id, client } = await openWorkflow(context, workflow);
    const items = await storedWorkers(client, id);
    context.output.list({
      items,
      columns,
      things: 'workers',
      title: `Remote workers for workflow ${id}:`,
      empty: `No remote workers found for workflow ID: ${id}`,
      json: { items: items.map(({ text }) => ({ worker: text, workflow_id: id })) },
    });
  },
});

export const workerCommands: readonly Command[] = [addWorkers, addWorkersFromFile, removeWorker, listWorkers];
