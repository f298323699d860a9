import { parentPort, type Transferable } from 'node:worker_threads';
import { Refusal } from '../core/contract/refusals.ts';
import type { Answered } from './thread.ts';

/** In a thread: answers each question of a `Thread`. A refusal arrives there as one, and any other error with its stack. */
export function answerEach<Question>(
  answer: (question: Question) => unknown,
  /** Parts of a reply that are handed over instead of copied. */
  transfersOf: (reply: never) => Transferable[] = () => [],
): void {
  const send = (answered: Answered, transfers: Transferable[] = []) => parentPort?.postMessage(answered, transfers);
  const replyTo = async (id: number, question: Question) => {
    try {
      const reply = await answer(question);
      send({ id, reply }, transfersOf(reply as never));
    } catch (error) {
      if (error instanceof Refusal)
        send({ id, refusal: { code: error.code, message: error.message, facts: { ...error.facts } } });
      else send({ id, bug: { message: (error as Error).message, stack: (error as Error).stack } });
    }
  };
  parentPort?.on('message', ({ id, question }: { id: number; question: Question }) => void replyTo(id, question));
}
