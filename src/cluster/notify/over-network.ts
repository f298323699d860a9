import type { MessageReceiver } from '../../core/notify/receiver.ts';
import type { Message } from './request.ts';
import type { SendOutcome } from '../../core/notify/retry.ts';
import { postMessage } from './post.ts';
import { withSecrets } from './secrets.ts';

/** Sends a message once, by HTTP or SMTP; a server may call it, because it starts no process. Never throws. */
export async function sendOverNetwork(
  receiver: MessageReceiver,
  message: Message,
  environment: Readonly<Record<string, string | undefined>>,
  atMostMs?: number,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  let known: MessageReceiver;
  try {
    known = withSecrets(receiver, environment);
  } catch (error) {
    return { kind: 'later', why: (error as Error).message };
  }
  try {
    if (known.kind === 'mail') {
      const { sendBySmtp } = await import('./smtp.ts');
      return await sendBySmtp(known, message, atMostMs, signal);
    }
    return await postMessage(known, message, { environment, atMostMs, stop: signal });
  } catch (error) {
    // An address that is no URL, from a file: its text is secret.
    return { kind: 'later', why: `its address cannot be used (${(error as NodeJS.ErrnoException).code ?? 'invalid'})` };
  }
}
