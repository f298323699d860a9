import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { RunFacts } from '../../src/runner/facts/run-facts.ts';
import type { LauncherOptions } from '../../src/runner/launcher/launcher.ts';
import { messageLine, type LauncherOrder, type LauncherReport } from '../../src/runner/step/batch/protocol.ts';
import { temporaryFolder } from './programs.ts';

const module = new URL('../../src/runner/launcher/launcher.ts', import.meta.url).href;

/** The launcher of a step in a process of its own that has been ordered to begin, with what it has reported so far. */
export function startStepLauncher(options: Pick<LauncherOptions, 'endsInSilence' | 'everyMs'> = {}) {
  const folder = temporaryFolder();
  const facts: RunFacts = {
    workflowId: 7,
    runId: 1,
    apiUrl: '',
    outputDir: folder,
    submissionDirectory: undefined,
    execution: {},
    variables: [],
  };
  const program = `
    import { runLauncher } from ${JSON.stringify(module)};
    await runLauncher({
      environment: process.env, input: process.stdin, output: process.stdout, ...${JSON.stringify(options)}
    });
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: folder,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const reports: LauncherReport[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    reports.push(JSON.parse(line) as LauncherReport);
    for (const wake of waiting.splice(0)) wake();
  });
  const order = (...each: LauncherOrder[]) => void child.stdin.write(each.map(messageLine).join(''));
  order({
    do: 'begin',
    facts,
    sonar: false,
    beside: { defaultRequirementsId: undefined, bytes: 0, reachesAll: false },
  });
  return {
    child,
    folder,
    facts,
    reports,
    order,
    /** Resolves when a report has made it true. */
    async seen(isThere: () => boolean) {
      while (!isThere()) await new Promise<void>((wake) => void waiting.push(wake));
    },
  };
}
