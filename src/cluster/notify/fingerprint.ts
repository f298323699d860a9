import type { MessageReceiver } from '../../core/notify/receiver.ts';

/** Says whether two configurations mean the same receiver, without its address. It is compared and never stored. */
export const fingerprintOf = ({ kind, address, command }: MessageReceiver): string =>
  process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(JSON.stringify([kind, address, command]))
    .digest('hex')
    .slice(0, 32);
