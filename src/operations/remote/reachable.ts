import type { Ssh } from '../../cluster/ssh/ssh.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
import { silenceOf } from './silence.ts';
import { eachAtOnce } from './each-host.ts';

/** A host, and why ssh does not reach it; undefined if it does. */
export interface Reached {
  readonly worker: Worker;
  readonly message: string | undefined;
}

const CHECK_MS = 45_000;

/** Tries to run a command on each host. */
export async function reachable(
  workers: readonly Worker[],
  { ssh, atOnce }: { readonly ssh: Ssh; readonly atOnce: number },
): Promise<Reached[]> {
  return eachAtOnce(workers, atOnce, async (worker) => {
    const outcome = await ssh.run(worker, { script: 'true', args: [], atMostMs: CHECK_MS });
    if (outcome.hasBegun && outcome.code === 0) return { worker, message: undefined };
    const silence = silenceOf(worker, outcome, { outputDir: '', atMostMs: CHECK_MS });
    return {
      worker,
      message: silence?.message ?? `ssh ended with ${outcome.code ?? 'a signal'}: ${outcome.stderr.trim()}`,
    };
  });
}
