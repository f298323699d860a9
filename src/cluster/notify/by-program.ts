import { hostname } from 'node:os';
import { digestSubject, digestText } from '../../core/notify/digest.ts';
import type { MessageReceiver } from '../../core/notify/receiver.ts';
import type { SendOutcome } from '../../core/notify/retry.ts';
import { startCompanion } from '../exec.ts';
import type { Message } from './request.ts';
import { withSecrets } from './secrets.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that takes longer is ended, and tried again later. */
const AT_MOST_MS = 30_000;

/** Sends a message once by a program of this machine: sendmail, notify-send, apprise, or a command. Never throws. */
export async function sendByProgram(
  receiver: MessageReceiver,
  message: Message,
  environment: Environment,
): Promise<SendOutcome> {
  try {
    const known = withSecrets(receiver, environment);
    return await run(programOf(known, message), { ...environment, ...variablesOf(known, message) });
  } catch (error) {
    const { code, message: words } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'never', why: `the program for ${receiver.kind} is not installed` };
    return { kind: 'later', why: code ?? words };
  }
}

interface Program {
  readonly words: readonly [string, ...string[]];
  readonly input: string;
}

function programOf({ kind, address, command, from }: MessageReceiver, message: Message): Program {
  const { digest, key } = message;
  const [subject, text] = [digestSubject(digest), digestText(digest)];
  if (kind === 'sendmail') {
    const to = address.split(',').map((each) => each.trim());
    // `-i`: a line with a dot alone does not end it. The addresses are behind `--`, so none of them is an option.
    return { words: ['sendmail', '-i', '--', ...to], input: mailOf({ to, from, key, subject, text }) };
  }
  if (kind === 'desktop') return { words: ['notify-send', '--app-name=torc', '--', subject, text], input: '' };
  if (kind === 'apprise') return { words: ['apprise', '--title', subject, '--body', text], input: '' };
  return { words: command as [string, ...string[]], input: `${JSON.stringify({ ...digest, key, text })}\n` };
}

/**
 * What a command can use without reading JSON. Apprise gets its address so: among the arguments every user of the machine could read it.
 * Source: https://github.com/caronc/apprise/wiki/CLI_Usage, `APPRISE_URLS`.
 */
const variablesOf = ({ kind, address }: MessageReceiver, { digest, key }: Message): Record<string, string> => ({
  ...(kind === 'apprise' ? { APPRISE_URLS: address } : {}),
  TORC_MESSAGE_SUBJECT: digestSubject(digest),
  TORC_MESSAGE_TRIGGER: digest.trigger,
  TORC_MESSAGE_KEY: key,
});

/** A message of RFC 5322. Header fields have no line break, whatever a workflow is called: `digestSubject` is one line. */
function mailOf({ to, from, key, subject, text }: Mail): string {
  const headers = [
    `From: ${from ?? `torc@${hostname()}`}`,
    `To: ${to.join(', ')}`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${key}@torc.invalid>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'Auto-Submitted: auto-generated',
  ].map((line) => line.replaceAll(/[\r\n]+/g, ' '));
  const body = Buffer.from(`${text}\n`)
    .toString('base64')
    .replaceAll(/(.{76})/g, '$1\n');
  return `${headers.join('\n')}\n\n${body}\n`;
}

interface Mail {
  readonly to: readonly string[];
  readonly from: string | undefined;
  readonly key: string;
  readonly subject: string;
  readonly text: string;
}

/** RFC 2047: words of at most 75 characters, each of whole characters. */
function encodedWords(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (/^[\u0020-\u007e]*$/.test(text)) return text;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > 42) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((each) => `=?utf-8?B?${Buffer.from(each).toString('base64')}?=`).join(' ');
}

async function run({ words: [program, ...args], input }: Program, environment: Environment): Promise<SendOutcome> {
  const companion = await startCompanion(program, args, { environment, onLine() {}, onErrorLine() {} });
  companion.write(input);
  companion.endInput();
  const timer = setTimeout(() => companion.signal('SIGKILL'), AT_MOST_MS);
  const { code, signal } = await companion.ended;
  clearTimeout(timer);
  if (code === 0) return { kind: 'sent' };
  // What it prints may have its address.
  return { kind: 'later', why: signal === null ? `exit code ${code}` : `${signal}` };
}
