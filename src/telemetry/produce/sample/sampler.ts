import { openProcessTable } from '../../../cluster/host/proc.ts';
import { errorMessage, type Message } from '../envelope.ts';
import { createRecorder, type RecorderOptions } from './recorder.ts';

/** Takes samples of all processes of this node. */
export interface Sampler {
  /** Reads the processes, so that the next sample knows what they used since. */
  prepare(): void;
  take(): Promise<Message>;
  close(): void;
}

export function createSampler(options: RecorderOptions): Sampler {
  const table = openProcessTable(options.root);
  const recorder = createRecorder(options);
  return {
    prepare: () => recorder.prepare(table.read()),
    async take() {
      try {
        return (await recorder.take(() => table.read())).message;
      } catch (error) {
        const problem = `the processes cannot be read: ${(error as Error).message}`;
        return errorMessage('sample', options.origin, Date.now(), [problem]);
      }
    },
    close() {
      table.close();
      recorder.close();
    },
  };
}
