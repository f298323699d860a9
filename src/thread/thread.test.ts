import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { Thread } from './thread.ts';

const BESIDE = new URL('../../tests/fakes/tests.ts', import.meta.url).href;
const open: Thread<unknown, unknown>[] = [];
function thread(options: ConstructorParameters<typeof Thread>[2] = {}) {
  const made = new Thread<unknown, unknown>('./thread-worker', BESIDE, options);
  open.push(made);
  return made;
}
const WAIT = { timeout: 60_000 };
const CLOSED = new Error('closed');
afterEach(() => Promise.all(open.splice(0).map((each) => each.close(CLOSED))));

it('each question gets its own reply, however many are asked at once', async () => {
  const asked = thread();
  const questions = Array.from({ length: 100 }, (_, index) => `question ${index}`);
  const replies = Promise.all(questions.map((question) => asked.ask(question)));
  expect(asked.waiting).toBe(100);
  expect(await replies).toEqual(questions);
  expect(asked.waiting).toBe(0);
});

it('a refusal arrives as a refusal, and a bug with its message and the place where it happened', async () => {
  const asked = thread();
  await expect(asked.ask('refuse')).rejects.toMatchObject({
    code: 'IN_USE',
    message: 'it is used',
    facts: { jobs: 2 },
  });
  const bug = await asked.ask('break').catch((error: unknown) => error as Error);
  expect(bug).toMatchObject({ message: 'a bug', stack: expect.stringContaining('thread-worker.ts') });
  expect(await asked.ask('still there')).toBe('still there');
});

it.each([
  ['crash', {}, 'the thread crashed'],
  ['exit', {}, 'its thread ended'],
  ['exit', { ended: 'the reader ended' }, 'the reader ended'],
])('after a %s all open questions fail, and the next one starts another thread', async (how, options, message) => {
  const asked = thread(options);
  expect(await asked.ask('again')).toBe(1);
  const waiting = asked.ask('wait');
  const failing = asked.ask(how);
  await expect(waiting).rejects.toThrow(message);
  await expect(failing).rejects.toThrow(message);
  expect(asked.waiting).toBe(0);
  expect(await asked.ask('again')).toBe(1);
});

it('a question that cannot be sent fails alone', async () => {
  const asked = thread();
  await expect(asked.ask(() => {})).rejects.toThrow('could not be cloned');
  expect(asked.waiting).toBe(0);
  expect(await asked.ask('next')).toBe('next');
});

it('an idle thread ends and starts anew with the next question; one without a limit stays', async () => {
  const [idle, patient] = [thread({ idleMs: 1 }), thread()];
  expect(await Promise.all([idle.ask('again'), patient.ask('again')])).toEqual([1, 1]);
  await vi.waitFor(async () => expect(await idle.ask('again')).toBe(1));
  expect(await patient.ask('again')).toBe(2);
});

it('an idle thread that is kept goes on, and ends when it is kept no longer', async () => {
  const [asked, other] = [thread({ idleMs: 1 }), thread({ idleMs: 1 })];
  const [first, second] = [asked.keep(), asked.keep()];
  expect(await asked.ask('again')).toBe(1);
  second();
  second();
  expect(await other.ask('again')).toBe(1);
  await vi.waitFor(async () => expect(await other.ask('again')).toBe(1));
  expect(await asked.ask('again')).toBe(2);
  first();
  await vi.waitFor(async () => expect(await asked.ask('again')).toBe(1));
});

it('closing fails the open questions for the reason that is given, and a closed thread can be closed again', async () => {
  const asked = thread();
  const waiting = asked.ask('wait');
  await Promise.all([asked.close(CLOSED), expect(waiting).rejects.toBe(CLOSED)]);
  await asked.close(CLOSED);
});

/** The functions of the kernel in which the threads of this process wait. */
const whereThreadsWait = () =>
  readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/wchan`, 'utf8'));

it('a question whose file system hangs fails when its thread is closed, and the next one gets another thread', async () => {
  const asked = thread();
  const pipe = join(temporaryFolder(), 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const hanging = asked.ask(pipe);
  const writer = await vi.waitFor(() => openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK), WAIT);
  await vi.waitFor(() => expect(whereThreadsWait()).toContainEqual(expect.stringContaining('pipe_read')), WAIT);
  const closing = asked.close(CLOSED);
  await expect(hanging).rejects.toBe(CLOSED);
  expect(await asked.ask('next')).toBe('next');
  closeSync(writer);
  await closing;
});

it('a program ends although it never closed its thread', async () => {
  const program = `
    const { Thread } = await import(process.argv[2]);
    const asked = new Thread('./thread-worker', process.argv[3]);
    // A server holds itself while it waits for a thread.
    const staying = setInterval(() => {}, 1000);
    console.log(await asked.ask('a question'));
    clearInterval(staying);
  `;
  const module = new URL('./thread.ts', import.meta.url).href;
  const path = join(temporaryFolder(), 'program.mjs');
  writeFileSync(path, program);
  const { stdout } = await promisify(execFile)(process.execPath, [path, module, BESIDE], { timeout: 120_000 });
  expect(stdout).toBe('a question\n');
});
