import { Refusal } from '../../../core/contract/refusals.ts';
import { logLevelOf } from '../../../core/text/log-line.ts';
import { BASE_PATH } from '../../../core/contract/base-path.ts';
import type { ServerLog } from '../../../server/log.ts';
import type { RunningServer } from '../../../server/serve.ts';
import { preferSmallHeap } from '../../../cluster/host/small-heap.ts';
import { makeThreadPool } from '../../../cluster/host/thread-pool.ts';
import { restrictFiles } from '../../../cluster/umask.ts';
import { leftToCommands } from '../../config/notify-kind.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import type { Output } from '../../output/output.ts';
import { runOptions, type ServerValues } from './options.ts';
import type { ServerOptions } from './server-options.ts';
import { option } from '../../command/option.ts';

/** sysexits.h: an error of input or output. */
const EX_IOERR = 74;
const NOT_WRITTEN =
  'The database cannot be written; the server stops, because it must not acknowledge data that is not on disk';
const DAMAGED =
  'The database is damaged; the server stops, because it must not change it any more. torc-server check says what is damaged';
/** Callers that wait for a reply learn that the database is damaged. */
const ANSWERS_MS = 500;
const PID_FILE = '/var/run/torc-server.pid';

export const serverRun = command('run', {
  isDefault: true,
  says: 'Serve workflows from a database file.',
  example: '--database torc.db',
  more: 'Prints TORC_SERVER_PORT=<port> when it answers. SIGTERM and SIGINT end it once requests under way are answered;\nSIGUSR1 copies the database to TORC_SERVER_SNAPSHOT_PATH. Without --auth-file every user who reaches it may do everything.',
  offline: true,
  options: [
    ...runOptions,
    option('--daemon', 'run in the background, with --log-dir; returns when the server answers'),
    option('--as-daemon', 'run as the background process', { isHidden: true }),
    option('--pid-file <path>', `file for the process id (default with --daemon: ${PID_FILE})`),
    option('--shutdown-on-stdin-eof', 'end when standard input ends'),
  ],
  async run({ output, environment, configuration }, _args, options) {
    restrictFiles(options.umask);
    if (options.daemon === true) {
      const { startDaemon } = await import('./daemon.ts');
      return startDaemon(folderOfDaemon(options), process.argv.slice(1), output);
    }
    goOnWithoutReaders();
    makeThreadPool();
    const { serverOptionsOf, worriesAbout } = await import('./server-options.ts');
    const settings = await serverOptionsOf(options, environment, configuration);
    const pidFile = options.pidFile ?? (options.asDaemon === true ? PID_FILE : undefined);
    if (pidFile !== undefined) (await import('./pid-file.ts')).takePidFile(pidFile);
    const log = await openLogFor(options, output);
    const service = await start(settings, log);

    const signalled = new Promise<string>(hookSignals);
    const inputEnded = options.shutdownOnStdinEof === true ? endOfInput() : new Promise<never>(() => {});
    process.on('SIGUSR1', () => copy(service, settings, log));
    const url = urlOf(settings, service.port);
    process.stdout.write(`TORC_SERVER_PORT=${service.port}\n`);
    log.write('info', 'Server ready', { url, database: settings.database });
    const left = configuration.notify && leftToCommands(configuration.notify);
    for (const words of [...worriesAbout(settings, options), ...(left === undefined ? [] : [left])]) {
      log.write('warn', words);
      if (options.logDir !== undefined) output.warn(words);
    }
    process.send?.({ port: service.port, url });
    // When all is loaded: V8 would refuse code that was compiled with other flags, and compile it again.
    preferSmallHeap();

    let reason = await Promise.race([signalled, inputEnded]);
    if (reason === END_OF_INPUT && (service.attached?.count() ?? 0) > 0)
      reason = await outlast(service, settings, log, signalled);
    log.write('info', 'Server stopping', { reason });
    // Its runners were part of commands, and the last command has ended.
    await service.close(settings.credential !== undefined && !reason.startsWith('SIG'));
    log.close();
  },
});

function folderOfDaemon(
  options: Pick<ServerValues, 'logDir'> & { readonly shutdownOnStdinEof?: boolean | undefined },
): string {
  const folder = options.logDir;
  if (folder === undefined) throw new Failure('--daemon needs --log-dir: a folder for the log of the server');
  if (options.shutdownOnStdinEof === true)
    throw new Failure('--daemon has no standard input: --shutdown-on-stdin-eof would end it at once');
  return folder;
}

/** A server outlives the readers of its output: a closed output is no reason to end. */
function goOnWithoutReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
}

async function openLogFor(options: ServerValues, output: Output): Promise<ServerLog> {
  const { openServerLog } = await import('../../../server/log.ts');
  const folder = options.logDir;
  try {
    return openServerLog({
      folder,
      isJson: options.jsonLogs === true,
      least: logLevelOf(options.logLevel),
      now: Date.now,
      // A warning has to be seen among the lines of a terminal.
      say: (line) =>
        process.stderr.write(`${/^\S+ +(WARN|ERROR) /.test(line) ? output.terminalText('red', line) : line}\n`),
    });
  } catch (cause) {
    throw new Failure(`--log-dir: no log can be written to ${folder}: ${(cause as Error).message}`, { cause });
  }
}

async function start(settings: ServerOptions, log: ServerLog): Promise<RunningServer> {
  const { serve } = await import('../../../server/serve.ts');
  process.on('uncaughtExceptionMonitor', (error) => log.write('error', 'A bug in torc', { error: error.stack }));
  try {
    const { recoveries } = await import('./recoveries.ts');
    return await serve({
      ...settings,
      recoveries,
      onNotice: (words, facts) => log.write('warn', words, facts),
      onError: (error) => log.write('error', 'Request failed', { error: (error as Error).stack ?? String(error) }),
      onBroken(error, isDamaged) {
        const facts = { database: settings.database, error: (error as Error).message };
        log.write('error', isDamaged ? DAMAGED : NOT_WRITTEN, facts);
        // Meanwhile it answers with the reason, and changes nothing.
        if (isDamaged) setTimeout(() => process.exit(EX_IOERR), ANSWERS_MS);
        else process.exit(EX_IOERR);
      },
      onLock(isLocked) {
        if (isLocked)
          log.write('warn', 'Another program holds the lock of the database; writes wait', {
            database: settings.database,
          });
        else log.write('info', 'The lock of the database is free again', { database: settings.database });
      },
    });
  } catch (error) {
    // For the command that starts it: it may attach to the server that has the database.
    if (settings.attach !== undefined && error instanceof Refusal)
      process.stdout.write(`TORC_SERVER_REFUSED=${error.code}\n`);
    const { refusedStart } = await import('./refused-start.ts');
    throw refusedStart(error, settings);
  }
}

const END_OF_INPUT = 'end of standard input';

/**
 * The command that started this server has ended, and others still use it: the server ends with the last of them. A database in
 * memory is copied then, because no signal can ask for the copy any more.
 */
async function outlast(
  service: RunningServer,
  settings: ServerOptions,
  log: ServerLog,
  signalled: Promise<string>,
): Promise<string> {
  process.stdout.write(`TORC_SERVER_STAYS=${service.attached?.count()}\n`);
  const reason = await Promise.race([
    signalled,
    service.attached?.none().then(() => 'the last command that used it has ended'),
  ]);
  if (settings.database === ':memory:') copy(service, settings, log);
  return reason as string;
}

/**
 * SIGHUP ends the server when its terminal was closed, but not where its messages go elsewhere. Under nohup none arrives here
 * (`bin/start.mjs`).
 */
function hookSignals(end: (reason: string) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end(signal));
  process.on('SIGHUP', () => {
    if (process.stderr.isTTY === true) end('SIGHUP');
  });
}

const endOfInput = () =>
  new Promise<string>((resolve) => void process.stdin.once('end', () => resolve(END_OF_INPUT)).resume());

function copy(service: RunningServer, { snapshots: { path, keep } }: ServerOptions, log: ServerLog): void {
  try {
    service.snapshot(path, keep);
  } catch (error) {
    log.write('error', 'The database could not be copied', { path, error: (error as Error).message });
    return;
  }
  process.stdout.write(`TORC_SNAPSHOT_DONE=${path}\n`);
}

function urlOf({ host, tls }: ServerOptions, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}${BASE_PATH}`;
}
