import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../command/failure.ts';

/** The password from the option, typed without echo, or on the first line of standard input. */
export async function passwordFor(given: string | undefined, isNew: boolean): Promise<string> {
  if (given !== undefined) return given;
  if (process.stdin.isTTY !== true) return firstLine();
  const [password, again] = await hidden(isNew ? ['Password: ', 'Again: '] : ['Password: ']);
  if (isNew && again !== password) throw new Failure('the two passwords differ');
  return password as string;
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new Failure('no password: write it on the first line of standard input');
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES = ['\u007f', '\b'];

/** Asks on the terminal, one question after the other, without echo. */
function hidden(questions: readonly string[]): Promise<string[]> {
  const { stdin, stderr } = process;
  const decoder = new StringDecoder('utf8');
  const answers: string[] = [];
  let typed: string[] = [];
  // In this order, so that a fast answer is not echoed either.
  stdin.setRawMode(true).resume();
  stderr.write(questions[0] as string);
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      stdin.setRawMode(false).pause().off('data', onData);
      settle();
    };
    const onLetter = (letter: string) => {
      if (letter === CTRL_C || letter === CTRL_D) {
        stderr.write('\n');
        end(() => reject(new Failure('no password was given', { exitCode: letter === CTRL_C ? 130 : 1 })));
      } else if (letter === '\r' || letter === '\n') {
        answers.push(typed.join(''));
        typed = [];
        stderr.write(`\n${questions[answers.length] ?? ''}`);
        if (answers.length === questions.length) end(() => resolve(answers));
      } else if (BACKSPACES.includes(letter)) {
        typed = typed.slice(0, -1);
      } else {
        typed.push(letter);
      }
    };
    const onData = (part: Buffer) => {
      for (const letter of decoder.write(part)) onLetter(letter);
    };
    stdin.on('data', onData);
  });
}
