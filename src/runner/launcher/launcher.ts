import { MESSAGES } from '../facts/messages.ts';
import { preferSmallHeap } from '../../cluster/host/small-heap.ts';
import { createLines, messageLine, type LauncherOrder, type LauncherReport } from '../step/batch/protocol.ts';
import { createLauncherWork, type LauncherWork } from './work.ts';

export interface LauncherOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream;
  readonly output: { write(text: string): unknown };
}

/**
 * Starts jobs inside a step of Slurm, as its runner orders: direct steps, behind the standard input and output of the step.
 *
 * Resolves when the runner says that it is over. If the input ends before that, the runner is gone, and all processes of jobs are killed.
 * Signals to the step do not end it: jobs get them, and the runner decides what SIGTERM means.
 */
export async function runLauncher({ environment, input, output }: LauncherOptions): Promise<void> {
  for (const signal of [...MESSAGES, 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGTERM', 'SIGCONT'] as const)
    process.on(signal, () => work?.signaled(signal));
  const report = (message: LauncherReport) => void output.write(messageLine(message));
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
  input.on('data', (text: string) => {
    take(text);
    work?.flush();
  });
  input.once('end', () => over.resolve('alone'));
  input.once('error', () => over.resolve('alone'));
  input.once('close', () => over.resolve('alone'));
  const why = await over.promise;
  await work?.end(why);
}
