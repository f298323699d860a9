import type { Readable, Writable } from 'node:stream';

/** The open input of a program that waits for an answer. What is written after its end is lost. */
export interface Answering {
  write(text: string): void;
  end(): void;
}

/** Gets what a program prints as it comes, and may answer on its input. */
export type OnOutput = (bytes: Buffer, input: Answering) => void;

/** Passes on what a program prints. An error of who reads it, such as a full disk, stops the program, and is returned. */
export function answered(
  { stdout, stdin }: { readonly stdout: Readable | null; readonly stdin: Writable | null },
  onOutput: OnOutput,
  stop: () => void,
): { error?: Error } {
  const failure: { error?: Error } = {};
  const input: Answering = { write: (text) => void stdin?.write(text), end: () => void stdin?.end() };
  stdout?.on('data', (bytes: Buffer) => {
    if (failure.error !== undefined) return;
    try {
      onOutput(bytes, input);
    } catch (error) {
      failure.error = error as Error;
      stop();
    }
  });
  return failure;
}
