import { fingerprintOf } from '../../cluster/notify/fingerprint.ts';
import type { Client } from '../../client/client.ts';
import type { Context } from '../command/context.ts';
import { UsageError } from '../command/failure.ts';
import { chosenReceivers, receiversIn, receiversOver } from './receivers.ts';

/**
 * Sends messages about a workflow while this command lives, if anybody is to get them; the result sends the last ones. What a server of
 * this command sends itself is left to it.
 */
export async function beginMessages(
  context: Context,
  { client, workflowId, given = [] }: { client: Client; workflowId: number; given: readonly string[] | undefined },
): Promise<() => Promise<void>> {
  const chosen = chosenReceivers(given, receiversIn(context.configuration.notify));
  if (chosen.own.length + chosen.ofServer.length === 0) return async () => {};
  const { followMessages } = await import('./follow.ts');
  return followMessages({ context, client, workflowId, chosen });
}

/** For a command that ends at once: the server sends, so that what it cannot send to is refused. */
export function namesOfServer(context: Context, given: readonly string[] | undefined, words: string): string[] {
  const known = receiversIn(context.configuration.notify);
  const { own, ofServer } = chosenReceivers(given ?? [], known);
  const programs = new Set(receiversOver('program', own).map(({ name }) => name));
  const refused = own.find(
    ({ isNamed, name }) => isNamed && (programs.has(name) || !known.some((each) => each.name === name)),
  );
  if (refused !== undefined) throw new UsageError(words);
  return [...own.filter(({ isNamed }) => isNamed).map(({ name }) => name), ...ofServer];
}

/**
 * Says which receivers of the configuration get no message of this command, because it ends at once and the server does not have them: no
 * server keeps the address of a user. A server that does not answer may have them.
 */
export async function sayWhoGetsNone(
  { configuration, output, hint }: Pick<Context, 'configuration' | 'output' | 'hint'>,
  client: Client,
  id: number,
): Promise<void> {
  const own = receiversIn(configuration.notify).filter(({ always }) => always);
  const without: string[] = [];
  for (const receiver of own) {
    const query = { limit: 1, fingerprint: fingerprintOf(receiver) };
    const found = await client.listMessages({ params: { id }, query }).catch(() => undefined);
    if (found?.receivers.includes(receiver.name) === false) without.push(receiver.name);
  }
  if (without.length === 0) return;
  output.warn(
    `the server does not send to ${without.join(', ')}, as it has no receiver of this name and address, and keeps none of yours: ${hint(`torc watch ${id}`)} sends messages there while it lives`,
  );
}
