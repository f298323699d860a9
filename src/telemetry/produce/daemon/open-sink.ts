import { readFileSync } from 'node:fs';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { DaemonConfig, RemoteConfig } from './config.ts';
import type { Origin } from '../../format/envelope.ts';
import { createDirectorySink } from '../../send/directory.ts';
import { createMessageOutbox } from '../../send/outbox.ts';
import type { OnProblem, Sink } from '../../send/sink.ts';
import { openSpool } from '../../send/spool.ts';
import { createStdoutSink } from '../../send/stdout.ts';

export interface OpenSinkOptions {
  readonly config: Pick<DaemonConfig, 'sink' | 'topicPrefix' | 'oneshot'>;
  readonly origin: Origin;
  readonly print: (line: string) => void;
  readonly onProblem: OnProblem;
  /** Where messages wait for a receiver that is away. */
  readonly spoolFolder: string;
  readonly spoolBytes: number;
}

/** The sink of a configuration. */
export async function openSink(options: OpenSinkOptions): Promise<Sink> {
  const { config, origin, print, onProblem } = options;
  const { sink, topicPrefix: prefix } = config;
  if (sink.kind === 'stdout') return createStdoutSink(print, prefix);
  if (sink.kind === 'directory') return createDirectorySink(sink.folder, onProblem);
  const outbox = {
    spool: openSpool(options.spoolFolder, options.spoolBytes),
    onProblem,
    windowMs: config.oneshot ? 0 : sink.sendingWindowSeconds * 1000,
  };
  const target = { prefix, password: passwordOf(sink), caFile: sink.caFile };
  if (sink.kind === 'http') {
    const { createHttpDelivery } = await import('../../send/http.ts');
    return createMessageOutbox({
      ...outbox,
      deliver: createHttpDelivery({ ...target, root: sink.root, proxy: sink.proxy }),
    });
  }
  const { openKafkaDelivery } = await import('../../send/kafka.ts');
  const kafka = await openKafkaDelivery({ ...target, ...origin, broker: sink.broker });
  const box = createMessageOutbox({ ...outbox, deliver: kafka.deliver });
  return {
    send: box.send,
    async close() {
      await box.close();
      await kafka.close();
    },
  };
}

/** The first line of the file. */
function passwordOf({ password, passwordFile }: RemoteConfig): string | undefined {
  if (passwordFile === undefined) return password;
  try {
    return readFileSync(passwordFile, 'utf8').split('\n')[0]?.trim() ?? '';
  } catch (error) {
    throw new Refusal('FILE_UNREADABLE', `the password file cannot be read: ${(error as Error).message}`, {
      path: passwordFile,
    });
  }
}
