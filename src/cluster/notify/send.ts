import { needsProgram, type MessageReceiver } from '../../core/notify/receiver.ts';
import type { SendOutcome } from '../../core/notify/retry.ts';
import { sendOverNetwork } from './over-network.ts';
import type { Message } from './request.ts';

/** Sends a message once, in whatever way: for commands, as some ways start a program. Never throws. */
export async function sendMessage(
  receiver: MessageReceiver,
  message: Message,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SendOutcome> {
  if (!needsProgram(receiver)) return sendOverNetwork(receiver, message, environment);
  const { sendByProgram } = await import('./by-program.ts');
  return sendByProgram(receiver, message, environment);
}
