import { printable } from '../../../core/text/printable.ts';
import { Failure, Interrupted } from '../../command/failure.ts';

/** A conversation with a person, or with the lines of piped input. */
export interface Prompts {
  /** The answer, or the default for an empty one; asks again until `read` returns a value. */
  ask<T>(question: string, usual: string, read: (answer: string) => T | undefined): Promise<T>;
  close(): void;
}

/** Throws `Failure` when the input ends, and with exit code 130 at Ctrl-C. */
export async function openConversation(): Promise<Prompts> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: process.stdin.isTTY === true,
  });
  let isInterrupted = false;
  // A terminal from which lines are read sends no signal.
  lines.once('SIGINT', () => {
    isInterrupted = true;
    lines.close();
  });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(question, usual, read) {
      for (;;) {
        process.stderr.write(`${printable(question)} [${usual}] `);
        const next = await answers.next();
        if (next.done === true) {
          process.stderr.write('\n');
          if (isInterrupted) throw new Interrupted();
          throw new Failure('the input ended before all questions were answered; --no-prompts asks none');
        }
        const answer = next.value.trim();
        if (process.stdin.isTTY !== true) process.stderr.write(`${printable(answer)}\n`);
        const value = read(answer === '' ? usual : answer);
        if (value !== undefined) return value;
        process.stderr.write(`Invalid choice '${printable(answer)}'\n`);
      }
    },
    close: () => lines.close(),
  };
}

export const yesOrNo = (answer: string): boolean | undefined =>
  /^y(es)?$/i.test(answer) ? true : /^no?$/i.test(answer) ? false : undefined;

export function positive(answer: string): number | undefined {
  const value = Number(answer);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
