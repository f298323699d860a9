import { needsProgram, type MessageReceiver, receiverOf, receiverOfUrl } from '../../core/notify/receiver.ts';
import { UsageError } from '../command/failure.ts';
import type { Configuration } from '../config/schema.ts';
import { option, optionsOf } from '../command/option.ts';

/** `--notify` of the commands that live. */
export const notifyOptions = optionsOf([
  option(
    '--notify <receiver>',
    'send messages about the workflow to this receiver of the configuration or of the server, or to a URL; may be repeated',
    { many: true },
  ),
]);

/** The receivers of the configuration, which was checked when it was read. */
export const receiversIn = (tables: Configuration['notify']): MessageReceiver[] =>
  Object.entries(tables ?? {}).flatMap(([name, table]) => {
    const receiver = receiverOf(name, table);
    return typeof receiver === 'string' ? [] : [receiver];
  });

/** Those that a server can send to, or those that need a program. */
export const receiversOver = (way: 'network' | 'program', receivers: readonly MessageReceiver[]): MessageReceiver[] =>
  receivers.filter((receiver) => needsProgram(receiver) === (way === 'program'));

/** Whom this command sends to, and the names that it does not know. */
export interface ChosenReceivers {
  readonly own: readonly (MessageReceiver & { readonly isNamed: boolean })[];
  readonly ofServer: readonly string[];
}

/** What `--notify` means: a URL, a receiver of the configuration, or one of the server; and those that get every message. */
export function chosenReceivers(given: readonly string[], known: readonly MessageReceiver[]): ChosenReceivers {
  const own = known.flatMap((receiver) => {
    const isNamed = given.includes(receiver.name);
    return isNamed || receiver.always ? [{ ...receiver, isNamed }] : [];
  });
  const others = given.filter((each) => !known.some(({ name }) => name === each));
  const byUrl = others.flatMap((each, at) => {
    const receiver = receiverOfUrl(each);
    if (receiver === undefined) return [];
    if (typeof receiver === 'string') throw new UsageError(`--notify: ${receiver}`);
    return [{ ...receiver, name: at === 0 ? receiver.name : `${receiver.name}-${at + 1}`, isNamed: true }];
  });
  return { own: [...own, ...byUrl], ofServer: others.filter((each) => receiverOfUrl(each) === undefined) };
}
