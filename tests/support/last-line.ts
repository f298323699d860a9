import { readFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { isCi } from './in-ci.ts';

/** Does this file try a part of its cases outside of CI, itself or with the themes of a page? */
const isInPart = ({ moduleId }: TestModule): boolean => /\/(?:in-ci|browser)\.ts'/.test(readFileSync(moduleId, 'utf8'));

/** More tests than these that pass at their second try are a fault of the suite, and not of the machine. */
const MOST_UNSTEADY = 3;

/**
 * Ends the output of a run with one plain line: `N passed, N failed`.
 *
 * In CI a test that fails is tried once more, because one machine that stalls must not refuse ten thousand tests. Those that needed it are
 * named: each is a fault to repair, of the test or of the program.
 */
export default class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    const unsteady: string[] = [];
    for (const module of modules) {
      // A file that cannot even be loaded has no tests to count.
      if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) failed += 1;
      passed += [...module.children.allTests('passed')].length;
      failed += [...module.children.allTests('failed')].length;
      skipped += [...module.children.allTests('skipped')].length;
      for (const test of module.children.allTests('passed'))
        if (test.diagnostic()?.flaky === true) unsteady.push(`${module.relativeModuleId}: ${test.fullName}`);
    }
    if (unsteady.length > MOST_UNSTEADY) {
      failed += unsteady.length;
      passed -= unsteady.length;
      process.exitCode = 1;
    }
    // Behind the summary of the usual reporter, which is written after this is called.
    process.once('exit', () => {
      if (!isCi && modules.some(isInPart))
        process.stdout.write('seeds, faults and pages were tried in part: CI=true npm test tries all of them\n');
      if (skipped > 0) process.stdout.write(`${skipped} skipped: the reasons stand beside them\n`);
      for (const name of unsteady) process.stdout.write(`passed at its second try, to be repaired: ${name}\n`);
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    });
  }
}
