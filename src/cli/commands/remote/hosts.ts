import { readUserText } from '../../../operations/create/read-user-text.ts';
import type { Client } from '../../../client/client.ts';
import { displayed, readWorkers, type Worker } from '../../../core/remote/worker-line.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';
import { storedWorkers } from '../../remote-hosts.ts';
import type { Output } from '../../output/output.ts';
import type { Column } from '../../output/table.ts';
import { HOST_PATH, hostPathOf } from '../../../core/remote/host-path.ts';
import { hostFaults } from '../../../core/remote/host-faults.ts';

export const atOnceOption = option('--max-parallel-ssh <n>', 'hosts that are asked at the same time', {
  default: 10,
  read: integerOption(1),
});

const folderThere = {
  default: 'torc_output',
  read(text: string, name: string): string {
    const path = hostPathOf(text);
    if (path === undefined) throw new UsageError(`${name}: expected ${HOST_PATH}; found "${text}"`);
    return path;
  },
};
const OF_RUNNERS = 'output folder of the runners, on the hosts';

export const outputDirOption = option('-o, --output-dir <folder>', OF_RUNNERS, folderThere);

export const remoteOutputDirOption = option('--remote-output-dir <folder>', OF_RUNNERS, folderThere);

/** The hosts of a file. Each wrong line is named; then nothing is done. */
export function workersIn(path: string): Worker[] {
  let text: string;
  try {
    text = readUserText(path);
  } catch (cause) {
    throw new Failure(`cannot read the worker file: ${(cause as Error).message}`, { cause });
  }
  const { workers, problems } = readWorkers(text);
  if (problems.length > 0)
    throw new Failure(problems.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'));
  if (workers.length === 0) throw new Failure(`Worker file '${path}' contains no valid entries`);
  return workers;
}

/** The stored hosts; refuses if there are none. */
export async function someWorkers(context: Context, client: Client, workflowId: number): Promise<Worker[]> {
  const workers = await storedWorkers(client, workflowId);
  if (workers.length > 0) return workers;
  throw new Failure(
    `workflow ${workflowId} has no remote workers; add some: ${context.hint(`torc remote add-workers ${workflowId} HOST`)}`,
  );
}

/** The workflow that a command names, and its hosts. */
export async function hostsOf(
  context: Context,
  workflow: string | undefined,
): Promise<{ id: number; workers: Worker[] }> {
  const { id, client } = await openWorkflow(context, workflow);
  return { id, workers: await someWorkers(context, client, id) };
}

/** Shows on a terminal how many of the hosts are done; the line disappears with the last one. */
export function hostsDone({ isQuiet }: Pick<Output, 'isQuiet'>, total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (process.stderr.isTTY && !isQuiet)
      process.stderr.write(done === total ? '\r\u001b[K' : `\r\u001b[K${done} of ${total} hosts`);
  };
}

/** What is wrong with a host in a few words, for a table; the whole message follows the table. A newer torc there may have other codes. */
const faults: Readonly<Record<string, { readonly brief: string }>> = hostFaults;

/** A host with which something is wrong: `code` and `message` say what. */
interface Faulty {
  readonly worker: Worker;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

export const faultText = ({ code, message }: Faulty): string =>
  message === undefined ? '' : ((code === undefined ? undefined : faults[code]?.brief) ?? 'failed');

/** Prints a row for each host, as JSON with what `jsonOf` gives, and behind a table what is wrong with some. */
export function listHosts<Host extends Faulty>(
  { output }: Context,
  items: readonly Host[],
  {
    title,
    columns,
    jsonOf,
  }: {
    readonly title?: string;
    readonly columns: readonly Column<Host>[];
    readonly jsonOf: (host: Omit<Host, 'worker'>) => object;
  },
): void {
  output.list({
    items,
    columns,
    things: 'workers',
    ...(title === undefined ? {} : { title }),
    empty: '',
    json: {
      items: items.map(({ worker, ...rest }) => ({ worker: worker.text, host: worker.host, ...jsonOf(rest) })),
    },
  });
  if (output.format === 'json') return;
  for (const { worker, message } of items) if (message !== undefined) output.warn(`${displayed(worker)}: ${message}`);
}
