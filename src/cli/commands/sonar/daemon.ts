import { homedir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { parseMemory } from '../../../core/quantity/bytes.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { fileErrorText } from '../../terminal/file-error.ts';
import { untilAsked } from '../../terminal/until-asked.ts';
import { originOptions } from './produce-options.ts';
import { createNotices } from './notices.ts';
import { option } from '../../command/option.ts';

export const daemon = command('sonar daemon <file>', {
  says: 'Send Sonar records of this node, and of its Slurm cluster, at regular times until it is stopped.',
  example: 'sonar.ini',
  more: 'The file is a configuration of Sonar: sections [sample], [sysinfo], [jobs] and [cluster] each with a cadence, and one of [directory], [http] and [kafka]; without these, records are printed. Messages for a receiver that is away wait in the spool, across restarts.',
  offline: true,
  options: [
    ...originOptions.filter(({ flags }) => flags.startsWith('--compat')),
    option(
      '--spool <folder>',
      'where messages wait for a receiver that is away (default: torc/sonar-spool in XDG_STATE_HOME or ~/.local/state)',
    ),
    option('--spool-limit <size>', 'size of the spool (default 100m); when it is full, the oldest go', {
      read: parseMemory,
    }),
  ],
  async run(context, [file], options) {
    const { output, environment } = context;
    const { parseDaemonConfig } = await import('../../../telemetry/produce/daemon/config.ts');
    const { startTelemetryDaemon } = await import('../../../telemetry/produce/daemon/daemon.ts');
    const { preferSmallCode, preferSmallHeap } = await import('../../../cluster/host/small-heap.ts');
    const { messageOriginOf } = await import('../../../telemetry/produce/origin.ts');
    const { openSink } = await import('../../../telemetry/produce/daemon/open-sink.ts');
    const { packetOf } = await import('../../../telemetry/send/packet.ts');
    const { locksFor } = await import('./locks.ts');
    const config = parseDaemonConfig(textOf(file), file);
    config.notices.forEach((notice) => output.warn(notice));
    const origin = messageOriginOf({ cluster: config.cluster, hostnameOnly: config.hostnameOnly, environment });
    const state = environment['XDG_STATE_HOME'] || join(homedir(), '.local/state');
    const spoolFolder = join(options.spool ?? join(state, 'torc/sonar-spool'), `${origin.cluster}-${origin.node}`);
    const isRemote = config.sink.kind === 'http' || config.sink.kind === 'kafka';
    const locks = locksFor(origin.node, [
      config.lockFolder,
      config.sink.kind === 'directory' ? config.sink.folder : undefined,
      isRemote ? spoolFolder : undefined,
    ]);
    const isAskedToEnd = untilAsked();
    const onProblem = createNotices((line) => output.warn(line));
    try {
      const sink = await openSink({
        config,
        origin,
        print: (line) => output.text(line),
        onProblem,
        spoolFolder,
        spoolBytes: options.spoolLimit ?? USUAL_SPOOL_BYTES,
      });
      // When all is loaded: code that was compiled with other flags would be compiled again.
      preferSmallHeap();
      preferSmallCode();
      const running = startTelemetryDaemon({
        config,
        origin,
        environment,
        sink,
        send: (message) => sink.send(packetOf(message, options.compat)),
        onProblem,
      });
      await Promise.race([isAskedToEnd, running.isOver]);
      await running.stop();
    } finally {
      locks.release();
    }
  },
});

/** A day of a node of 50 processes has 5 MB. */
const USUAL_SPOOL_BYTES = 100 * 2 ** 20;

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Failure(`the configuration: ${fileErrorText(cause) ?? (cause as Error).message}`, { cause });
  }
}
