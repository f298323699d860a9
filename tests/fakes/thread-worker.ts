/** A thread for tests: it returns what it is asked, or fails in the way that the question names. */
import { readFileSync } from 'node:fs';
import { Refusal } from '../../src/core/contract/refusals.ts';
import { answerEach } from '../../src/thread/answer-each.ts';

answerEach(async (question: string) => {
  if (question === 'refuse') throw new Refusal('IN_USE', 'it is used', { jobs: 2 });
  if (question === 'break') throw new TypeError('a bug');
  if (question === 'crash') setImmediate(crash);
  if (question === 'exit') process.exit(3);
  // A pipe without data: the system call does not return.
  if (question.startsWith('/')) readFileSync(question);
  if (question === 'crash' || question === 'wait') await new Promise(() => {});
  return question === 'again' ? (answered += 1) : question;
});
let answered = 0;

function crash(): never {
  throw new Error('the thread crashed');
}
