import type { Worker } from '../../core/remote/worker-line.ts';
import type { Collected } from './collect-logs.ts';
import { eachAtOnce } from './each-host.ts';
import { DELETE_MS, askAboutLogs } from './ask-about-logs.ts';
import { type HostsOptions, hostRequestOf } from './worker-states.ts';

export interface DeleteOptions extends HostsOptions {
  /** Also those whose collection began and did not end. */
  readonly uncollected: boolean;
  readonly onDone: (done: Collected) => void;
}

/** Deletes the logs of a workflow on each host. A host refuses while they are collected in part. */
export async function deleteLogs(workers: readonly Worker[], options: DeleteOptions): Promise<Collected[]> {
  const remove = async (worker: Worker): Promise<Collected> => {
    const reply = await askAboutLogs(
      worker,
      { task: 'delete', ...hostRequestOf(worker, options), uncollected: options.uncollected },
      options,
      DELETE_MS,
    );
    if ('message' in reply) return { worker, is: 'failed', ...reply };
    const files = reply.is === 'deleted' ? reply.files : 0;
    return { worker, is: files === 0 ? 'nothing' : 'deleted', files };
  };
  return eachAtOnce(workers, options.atOnce, remove, (_, done) => options.onDone(done));
}
