import { PassThrough, type Readable, Writable } from 'node:stream';
import { readMessageLine, faultReply } from './message-line.ts';

/** A workflow file as JSON is the largest message. */
const MOST_CHARACTERS = 16 * 2 ** 20;

interface Batch {
  readonly waiting: Set<string>;
  readonly replies: string[];
}

/**
 * Standard input and output for the library that serves tools: it gives no reply to what is no message, and to several in one line.
 * Every line gets its reply here.
 */
export function checkedLines(
  input: Readable,
  output: Writable,
): { readonly input: Readable; readonly output: Writable } {
  const checked = new PassThrough();
  const batches: Batch[] = [];
  const say = (text: string) => void output.write(`${text}\n`);
  const sayIfWhole = (batch: Batch) => {
    if (batch.waiting.size > 0) return;
    if (batch.replies.length > 0) say(`[${batch.replies.join(',')}]`);
    batches.splice(batches.indexOf(batch), 1);
  };

  /** A member of a batch has its reply, or will have none. False where no batch waits for it. */
  const settle = (id: string, reply?: string): boolean => {
    const batch = batches.find(({ waiting }) => waiting.has(id));
    if (batch === undefined) return false;
    batch.waiting.delete(id);
    if (reply !== undefined) batch.replies.push(reply);
    sayIfWhole(batch);
    return true;
  };

  const take = (line: string) => {
    if (line.trim() === '') return;
    const found = readMessageLine(line);
    if (found.is === 'refused') return say(found.reply);
    if (found.is === 'message') {
      const { cancels } = found;
      if (cancels !== undefined) settle(cancels);
      return void checked.write(`${line}\n`);
    }
    const batch: Batch = { waiting: new Set(found.ids), replies: [...found.refusals] };
    batches.push(batch);
    sayIfWhole(batch);
    for (const text of found.texts) checked.write(`${text}\n`);
  };
  eachLine(input, take, () => say(faultReply('null', -32_600, `a message above ${MOST_CHARACTERS} characters`)));
  input.once('close', () => checked.end());
  input.once('end', () => checked.end());

  const answer = (line: string) => {
    const id = JSON.stringify((JSON.parse(line) as { id?: unknown }).id) as string | undefined;
    if (id === undefined || !settle(id, line)) say(line);
  };
  const gathered = new Writable({
    // The library writes a whole line at a time.
    write(part: Buffer, _, done) {
      if (batches.length === 0) return void output.write(part, done);
      answer(part.toString('utf8').trimEnd());
      done();
    },
  });
  return { input: checked, output: gathered };
}

/** Calls `take` with each line, and `skip` in place of one that is too long to be held. */
function eachLine(input: Readable, take: (line: string) => void, skip: () => void): void {
  let rest = '';
  let isSkipped = false;
  input.setEncoding('utf8');
  input.on('data', (part: string) => {
    const lines = part.split('\n');
    for (const [at, line] of lines.entries()) {
      if (!isSkipped) rest += line;
      if (rest.length > MOST_CHARACTERS) {
        isSkipped = true;
        rest = '';
        skip();
      }
      if (at === lines.length - 1) break;
      if (!isSkipped) take(rest);
      rest = '';
      isSkipped = false;
    }
  });
}
