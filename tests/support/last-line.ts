import { readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { isCi } from './in-ci.ts';
import { fileOutcome, lastLinesOf, type Outcome } from './outcome.ts';

/** Does this file try a part of its cases outside of CI, itself or with the themes of a page? */
const isInPart = ({ moduleId }: TestModule): boolean => /\/(?:in-ci|browser)\.ts'/.test(readFileSync(moduleId, 'utf8'));

/** Ends the output of a run with one plain line, `N passed, N failed`, or writes the outcome where run-tests.ts reads it. */
export default class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const outcome: Outcome = { files: modules.map(fileOutcome), errors: errors.length, unsteady: [] };
    const path = process.env['TORC_TEST_OUTCOME'];
    const inPart = !isCi && modules.some(isInPart);
    if (path !== undefined) writeFileSync(path, JSON.stringify({ outcome, inPart }));
    // Behind the summary of the usual reporter, which is written after this is called.
    else process.once('exit', () => process.stdout.write(`${lastLinesOf(outcome, inPart).join('\n')}\n`));
  }
}
