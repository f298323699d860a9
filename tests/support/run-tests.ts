import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCi } from './in-ci.ts';
import { afterSecondTry, lastLinesOf, type Outcome, toTryAgain } from './outcome.ts';
import { pack } from './packed.ts';

/**
 * Runs the tests (`npm test`). In CI the few files that failed are tried once more, in a new process with nothing beside it: a machine
 * that stalls under the load of the whole suite must not refuse ten thousand tests. What needed it is named at the end; each is a fault to
 * repair, of the test or of the program.
 */
const folder = mkdtempSync(join(tmpdir(), 'torc-test-outcome-'));

interface Run {
  readonly code: number;
  /** A run that tried nothing has none. */
  readonly outcome?: Outcome;
  readonly inPart?: boolean;
}

function run(args: readonly string[]): Run {
  const path = join(folder, 'outcome.json');
  rmSync(path, { force: true });
  const { status } = spawnSync('vitest', ['run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, TORC_TEST_OUTCOME: path },
  });
  const code = status ?? 1;
  try {
    return { code, ...(JSON.parse(readFileSync(path, 'utf8')) as Omit<Run, 'code'>) };
  } catch {
    return { code };
  }
}

pack(); // Before the first test, which then need not wait for it.
const first = run(process.argv.slice(2));
let { code, outcome } = first;
const again = isCi && outcome !== undefined ? toTryAgain(outcome) : [];
if (outcome !== undefined && again.length > 0) {
  process.stdout.write(`\nTried once more, alone: ${again.join(', ')}\n`);
  const second = run(again);
  if (second.outcome !== undefined) outcome = afterSecondTry(outcome, second.outcome);
  ({ code } = second);
}
rmSync(folder, { recursive: true });
if (outcome !== undefined) process.stdout.write(`${lastLinesOf(outcome, first.inPart === true).join('\n')}\n`);
process.exitCode = code;
