import { STEP_LAUNCHER } from '../../core/allocation/step-launcher.ts';
import { versionText } from './version-text.ts';

/** Runs one of the programs of this package. */
export async function main(program: string, argv: readonly string[]): Promise<void> {
  // Requested often, also by scripts, so it costs only the start of the runtime.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${versionText(program)}\n`);
    return;
  }
  // Jobs run on although no message about them can be printed: a full disk or a closed terminal ends no runner.
  process.stderr.on('error', () => {});
  let lost: Error | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes early, such as head, is not an error.
    if (error.code === 'EPIPE') process.exit(0);
    if (lost === undefined) process.stderr.write(`Error: the output could not be written: ${error.message}\n`);
    lost ??= error;
    // The command may have ended before it is known. Everything that a runner of an allocation prints stands in its log, too.
    if (program !== 'torc-slurm-job-runner') process.exitCode ||= 1;
  });
  // Before the parser of options is loaded: a person waits at the prompt of a shell.
  if (program === 'torc' && argv[0] === 'complete') {
    const { printCandidates } = await import('./completion/complete.ts');
    await printCandidates(argv.slice(argv[1] === '--' ? 2 : 1), process.env);
    return;
  }
  // A runner in an allocation starts it on each node: it loads nothing else.
  if (program === 'torc' && argv[0] === STEP_LAUNCHER) {
    const { runLauncher } = await import('../../runner/launcher/launcher.ts');
    const [, , keyFile] = argv;
    const far = keyFile === undefined ? undefined : await import('../../runner/step/far/keyed-socket.ts');
    const socket = await far?.connectByFile(keyFile as string);
    await runLauncher({
      environment: process.env,
      input: socket ?? process.stdin,
      output: socket ?? process.stdout,
      endsInSilence: socket !== undefined,
    });
    process.exit(0);
  }
  const { runProgram } = await import('./program.ts');
  const exitCode = await runProgram(program, argv);
  process.exitCode = exitCode || (process.exitCode ?? 0);
}
