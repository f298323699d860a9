import { MESSAGES } from '../facts/messages.ts';
import { preferSmallHeap } from '../../cluster/host/small-heap.ts';
import { startHeartbeat } from '../step/batch/heartbeat.ts';
import { createLines, messageLine, type LauncherOrder, type LauncherReport } from '../step/batch/protocol.ts';
import { createLauncherWork, type LauncherWork } from './work.ts';

export interface LauncherOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream;
  readonly output: { write(text: string): unknown };
  /**
   * It ends its jobs when no order comes any more: a connection between two nodes can be cut without an end of the input. Where a batch
   * system carries the input, that ends the launcher.
   */
  readonly endsInSilence?: boolean | undefined;
  /** See `HeartbeatOptions`; for tests. */
  readonly everyMs?: number | undefined;
}

/**
 * Starts jobs inside a step of Slurm, as its runner orders: direct steps, behind the standard input and output of the step.
 *
 * Resolves when the runner says that it is over. If the input ends before that, or falls silent where `endsInSilence`, the runner is gone, and
 * all processes of jobs are killed.
 * Signals to the step do not end it: jobs get them, and the runner decides what SIGTERM means.
 */
export async function runLauncher(options: LauncherOptions): Promise<void> {
  const { environment, input, output, everyMs } = options;
  for (const signal of [...MESSAGES, 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGTERM', 'SIGCONT'] as const)
    process.on(signal, () => work?.signaled(signal));
  let isAlone = false;
  const report = (message: LauncherReport) => {
    // A runner that hears again would take the kills for ends of the jobs by themselves.
    if (!isAlone) output.write(messageLine(message));
  };
  const over = Promise.withResolvers<'end' | 'alone'>();
  let work: LauncherWork | undefined;
  const take = createLines((line) => {
    const order = JSON.parse(line) as LauncherOrder;
    if (order.do === 'end') over.resolve('end');
    else if (order.do === 'begin') {
      work = createLauncherWork(order, environment, report);
      // When all is loaded: V8 would refuse code that was compiled with other flags, and compile it again.
      preferSmallHeap();
    } else work?.obey(order);
  });
  input.setEncoding('utf8');
  const silence = options.endsInSilence
    ? // The runner asks regularly, so nothing is asked here.
      startHeartbeat({ ask: () => {}, onSilent: () => over.resolve('alone'), everyMs })
    : undefined;
  const hear = (text: string) => {
    silence?.heard();
    take(text);
    work?.flush();
  };
  input.on('data', hear);
  input.once('end', () => over.resolve('alone'));
  input.once('error', () => over.resolve('alone'));
  input.once('close', () => over.resolve('alone'));
  const why = await over.promise;
  // What comes after a silence was ordered by a runner that has given these jobs up.
  input.off('data', hear);
  isAlone = why === 'alone';
  silence?.close();
  await work?.end(why);
}
