import { logLevelOf, logLine, type LogLevel, isLoudEnough } from '../../core/contract/log-line.ts';
import type { Command } from '../command.ts';
import { integer } from '../option.ts';
import { CREDENTIAL_VARIABLE } from '../credential-variable.ts';

/** sysexits.h: an error of input or output. */
const EX_IOERR = 74;

export const serverRun: Command = {
  words: 'run',
  isDefault: true,
  says: 'Serve workflows from a database file.',
  offline: true,
  options: [
    { flags: '-H, --host <host>', says: 'address to listen on; 0.0.0.0 for all', default: 'localhost' },
    { flags: '-p, --port <port>', says: 'port; 0 takes any free one', default: 8080, read: integer('--port', 0) },
    { flags: '-d, --database <path>', says: 'database file, or :memory: (DATABASE_URL)' },
    {
      flags: '-t, --threads <n>',
      says: 'accepted for scripts of the original; one thread serves all',
      read: integer('--threads', 1),
    },
    {
      flags: '-c, --completion-check-interval-secs <s>',
      says: 'accepted for scripts of the original; dependants are released at once',
    },
    { flags: '--shutdown-on-stdin-eof', says: 'end when standard input ends' },
  ],
  async run({ settings, environment }, _args, options) {
    const write = (level: LogLevel, words: string, fields: Record<string, unknown> = {}) => {
      if (isLoudEnough(level, logLevelOf(settings.logLevel)))
        process.stderr.write(`${logLine(level, words, fields, new Date().toISOString())}\n`);
    };
    const { serve } = await import('../../server/serve.ts');
    const database = databaseOf(options['database'] as string | undefined, environment['DATABASE_URL']);
    const service = await serve({
      database,
      host: options['host'] as string,
      port: options['port'] as number,
      credential: environment[CREDENTIAL_VARIABLE],
      onError: (error) => write('error', 'Request failed', { error: (error as Error).stack ?? String(error) }),
      onBroken(error) {
        write(
          'error',
          'The database cannot be written; the server stops, for it must not acknowledge what is not on disk',
          {
            database,
            error: (error as Error).message,
          },
        );
        process.exit(EX_IOERR);
      },
    });

    const ended = new Promise<string>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
      if (options['shutdownOnStdinEof'] === true)
        process.stdin.once('end', () => resolve('end of standard input')).resume();
    });
    process.on('SIGUSR1', () => {
      const path = environment['TORC_SERVER_SNAPSHOT_PATH'] ?? 'torc-server-snapshot.db';
      service.snapshot(path, Number(environment['TORC_SERVER_SNAPSHOT_KEEP'] ?? 5));
      process.stdout.write(`TORC_SNAPSHOT_DONE=${path}\n`);
    });
    process.stdout.write(`TORC_SERVER_PORT=${service.port}\n`);
    write('info', 'Server ready', {
      url: `http://${String(options['host'])}:${service.port}/torc-service/v1`,
      database,
    });
    const reason = await ended;
    write('info', 'Server stopping', { reason });
    await service.close();
  },
};

function databaseOf(option: string | undefined, url: string | undefined): string {
  const text = option ?? url ?? 'torc.db';
  return text.replace(/^sqlite:(\/\/)?/, '').replace(/\?.*$/, '');
}
