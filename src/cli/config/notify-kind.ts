import { isReference, needsProgram, receiverOf } from '../../core/notify/receiver.ts';
import {
  booleanKind,
  isTable,
  type Kind,
  listOfText,
  namesKind,
  notNegative,
  positiveKind,
  tableKind,
  textKind,
} from './kinds.ts';

/** The keys of a receiver, `[notify.NAME]`. Help and the reference page are made from it. */
export const notifyFields = {
  webhook: { kind: textKind, says: 'URL that gets the message as JSON, with `Idempotency-Key`' },
  ntfy: { kind: textKind, says: 'URL of a topic of ntfy: `https://ntfy.sh/TOPIC`' },
  slack: { kind: textKind, says: 'URL of an incoming webhook of Slack, or of Mattermost' },
  matrix: { kind: textKind, says: 'URL of a room: `https://matrix.example.org/!ROOM:example.org`; with `token`' },
  mail: { kind: namesKind, says: 'addresses; with `smtp` by that server, otherwise by the program sendmail' },
  desktop: { kind: booleanKind, says: 'a notice on this desktop, by notify-send' },
  command: { kind: listOfText, says: 'a program and its arguments, with the message as JSON on standard input' },
  apprise: { kind: textKind, says: 'URL of a service that the installed program apprise knows' },
  on: { kind: namesKind, says: 'what is worth a message, in our words or those of `sbatch --mail-type`' },
  always: {
    kind: booleanKind,
    says: 'messages of every workflow (default true); otherwise of those that `--notify NAME` names',
  },
  users: { kind: namesKind, says: 'only workflows of these users' },
  secret: { kind: textKind, says: 'signs the body of a webhook: `X-Torc-Signature: sha256=HMAC`' },
  token: { kind: textKind, says: 'is sent as `Authorization: Bearer`' },
  smtp: { kind: textKind, says: 'mail server: `smtps://USER@HOST:465`, or `smtp://HOST:587`' },
  password: { kind: textKind, says: 'password for it' },
  from: { kind: textKind, says: 'sender of mail (default torc@ and the name of the host)' },
  private: { kind: booleanKind, says: 'the host name may have a private address (default false)' },
  fail_percent: { kind: positiveKind, says: '`many_failures`: so many of all jobs failed (default 10)' },
  time_percent: { kind: positiveKind, says: '`time`: a runner has used so much of its time (default 80)' },
  silent_minutes: { kind: positiveKind, says: '`silent`: a runner has said nothing for so long (default 30)' },
  budget_core_hours: { kind: notNegative, says: '`budget`: jobs have used so many core hours (default none)' },
} as const satisfies Readonly<Record<string, { readonly kind: Kind<unknown>; readonly says: string }>>;

const tables = tableKind(notifyFields);

/** Receivers of messages by name. */
export const notifyKind: Kind<Readonly<Record<string, Readonly<Record<string, unknown>>>>> = {
  expected: 'a table of receivers',
  read(value, hear) {
    let isFaulty = false;
    const read = tables.read(value, (inside, words, isUnknown) => {
      if (isUnknown !== true) isFaulty = true;
      hear(inside, words, isUnknown);
    });
    if (read === undefined || isFaulty) return read;
    for (const [name, table] of Object.entries(read)) {
      const receiver = receiverOf(name, table);
      if (typeof receiver === 'string') hear([name], receiver);
    }
    return read;
  },
};

/** Receivers that a server leaves to commands, in a sentence; undefined where there are none. */
export function leftToCommands(value: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string | undefined {
  const names = Object.entries(value).flatMap(([name, table]) => {
    const receiver = receiverOf(name, table);
    return typeof receiver !== 'string' && needsProgram(receiver) ? [name] : [];
  });
  if (names.length === 0) return undefined;
  return `notify: ${names.join(', ')}: a server starts no program, so torc run, exec and watch send these messages while they live`;
}

/** The receivers as they are shown: addresses and secrets are hidden, references are not. */
export const shownReceivers = (value: unknown): unknown =>
  !isTable(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).map(([name, table]) => [name, isTable(table) ? shownTable(table) : table]),
      );

const HIDDEN = new Set([
  'webhook',
  'ntfy',
  'slack',
  'matrix',
  'mail',
  'apprise',
  'command',
  'secret',
  'token',
  'smtp',
  'password',
]);

const shownTable = (table: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(table).map(([key, value]) => [
      key,
      HIDDEN.has(key) && !(typeof value === 'string' && isReference(value)) ? '(hidden)' : value,
    ]),
  );
