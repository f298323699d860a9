import type { Thresholds } from './digest.ts';
import { type ChosenTriggers, chosenTriggers, usualTriggers } from './triggers.ts';

type ReceiverKind = (typeof ADDRESSES)[number] | 'sendmail';

/** Those that need a program on this machine, which a server never starts. */
export const needsProgram = ({ kind }: Pick<MessageReceiver, 'kind'>): boolean =>
  kind === 'sendmail' || kind === 'desktop' || kind === 'command' || kind === 'apprise';

/**
 * Those that recognize a message which arrives twice, by its key: it may be sent again where it is not known whether it arrived.
 * Mail servers and readers know it by `Message-ID`.
 */
export const knowsRepeats = ({ kind }: Pick<MessageReceiver, 'kind'>): boolean =>
  kind === 'webhook' || kind === 'matrix' || kind === 'mail' || kind === 'sendmail';

/** Who gets messages, and which. Addresses and secrets may still be references: `env:NAME`, `file:PATH`. */
export interface MessageReceiver extends Thresholds, Pick<ChosenTriggers, 'on' | 'endsOnlyBad'> {
  readonly name: string;
  readonly kind: ReceiverKind;
  /** A URL, or of mail the addresses with commas between them; empty where none is needed. */
  readonly address: string;
  readonly command: readonly string[];
  /** Signs the body of a webhook. */
  readonly secret?: string | undefined;
  /** Is sent as a bearer. */
  readonly token?: string | undefined;
  /** `smtps://user@host:465`, with its password apart. */
  readonly smtp?: string | undefined;
  readonly password?: string | undefined;
  readonly from?: string | undefined;
  /** Gets messages of every workflow; otherwise of those that name it. */
  readonly always: boolean;
  /** Only of workflows of these users; all where it is empty. */
  readonly users: readonly string[];
  /** Host names may resolve to addresses of a private network. */
  readonly isPrivate: boolean;
}

/** A table of the configuration for one receiver. */
export type ReceiverTable = Readonly<Record<string, unknown>>;

const USUAL: Thresholds & Pick<MessageReceiver, 'always' | 'users' | 'isPrivate' | 'on' | 'endsOnlyBad' | 'command'> = {
  failPercent: 10,
  timePercent: 80,
  // A runner whose jobs all run speaks every 5 minutes at least (`claim_backoff_max_secs`): a shorter time would find those, too.
  silentSeconds: 30 * 60,
  always: true,
  users: [],
  isPrivate: false,
  on: usualTriggers,
  endsOnlyBad: false,
  command: [],
};

/** The ways of a message, by the key of the configuration that has its address. */
const ADDRESSES = ['webhook', 'ntfy', 'slack', 'matrix', 'mail', 'desktop', 'command', 'apprise'] as const;

/** One receiver of a table that was read with the right types, or what is wrong with it. */
export function receiverOf(name: string, table: ReceiverTable): MessageReceiver | string {
  if (!/^[\w.-]{1,64}$/.test(name)) return 'its name has letters, digits, dots, dashes and underscores';
  const given = ADDRESSES.filter((key) => table[key] !== undefined && table[key] !== false);
  const [key] = given;
  if (key === undefined || given.length > 1)
    return `expected one of ${ADDRESSES.join(', ')}, found ${given.length === 0 ? 'none' : given.join(' and ')}`;
  const kind: ReceiverKind = key === 'mail' && text(table, 'smtp') === undefined ? 'sendmail' : key;
  const value = table[key];
  const address = Array.isArray(value)
    ? key === 'command'
      ? ''
      : value.join(',')
    : value === true
      ? ''
      : String(value);
  const chosen = chosenTriggers(Array.isArray(table['on']) ? (table['on'] as string[]) : usualTriggers);
  if (typeof chosen === 'string') return `on: ${chosen}`;
  const receiver: MessageReceiver = {
    ...USUAL,
    name,
    kind,
    address,
    command: key === 'command' ? (value as readonly string[]) : [],
    on: chosen.on,
    endsOnlyBad: chosen.endsOnlyBad,
    timePercent: chosen.timePercent ?? number(table, 'time_percent') ?? USUAL.timePercent,
    failPercent: number(table, 'fail_percent') ?? USUAL.failPercent,
    silentSeconds: (number(table, 'silent_minutes') ?? USUAL.silentSeconds / 60) * 60,
    budgetCoreHours: number(table, 'budget_core_hours'),
    secret: text(table, 'secret'),
    token: text(table, 'token'),
    smtp: text(table, 'smtp'),
    password: text(table, 'password'),
    from: text(table, 'from'),
    always: table['always'] !== false,
    users: (table['users'] as readonly string[] | undefined) ?? [],
    isPrivate: table['private'] === true,
  };
  return addressFault(receiver) ?? receiver;
}

const text = (table: ReceiverTable, key: string) => table[key] as string | undefined;
const number = (table: ReceiverTable, key: string) => table[key] as number | undefined;

/** A reference to a secret, whose content is not read here. */
export const isReference = (value: string): boolean => /^(env|file):/.test(value);

/** The host of a URL, with a login and a port, and its path. */
const URL_SHAPE = /^https?:\/\/([^\s/?#\\]+)([^\s\\]*)$/;

function addressFault({ kind, address, command, smtp }: MessageReceiver): string | undefined {
  if (kind === 'command') return command[0] === undefined ? 'command: expected a program and its arguments' : undefined;
  if (smtp !== undefined && !isReference(smtp) && !/^smtps?:\/\/[^/\s]+$/.test(smtp))
    return 'smtp: expected smtp://HOST or smtps://USER@HOST:PORT';
  if (isReference(address) || kind === 'desktop' || kind === 'apprise') return undefined;
  if (kind === 'mail' || kind === 'sendmail')
    return address.split(',').every((each) => /^[^\s<>,;:"@\p{Cc}]+@[^\s<>,;:"@\p{Cc}]+$/u.test(each.trim()))
      ? undefined
      : `${kind === 'mail' ? 'mail' : kind}: expected addresses such as ada@example.org`;
  const path = URL_SHAPE.exec(address)?.[2];
  if (path === undefined) return `${kind}: expected a URL that begins with https:// or http://`;
  if (kind === 'ntfy' && !/^\/./.test(path)) return 'ntfy: expected the URL of a topic such as https://ntfy.sh/TOPIC';
  if (kind === 'matrix' && !/^\/([!#]|%21|%23)/.test(path))
    return 'matrix: expected the URL of a room such as https://matrix.example.org/!ROOM:example.org';
  return undefined;
}

/**
 * The receiver of a URL that was given to a command, or undefined for what is no URL: then it is the name of one. Schemes that are
 * not known here are those of Apprise.
 */
export function receiverOfUrl(given: string): MessageReceiver | string | undefined {
  const scheme = /^([a-z][\w+-]*):/i.exec(given)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  const named = (table: ReceiverTable) => receiverOf('url', { ...table, private: true });
  const rest = given.slice(scheme.length + 1).replace(/^\/\//, '');
  if (scheme === 'mailto' && !given.startsWith('mailto://')) return named({ mail: rest.split(',') });
  if (scheme === 'desktop') return named({ desktop: true });
  if (scheme === 'ntfy') return named({ ntfy: `https://${rest.includes('/') ? rest : `ntfy.sh/${rest}`}` });
  if (scheme !== 'https' && scheme !== 'http') return named({ apprise: given });
  const host = URL_SHAPE.exec(given)?.[1];
  return named({ [host === 'hooks.slack.com' ? 'slack' : host === 'ntfy.sh' ? 'ntfy' : 'webhook']: given });
}
