import { readFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { isCi } from './in-ci.ts';

/** Does this file try a part of its cases outside of CI, itself or with the themes of a page? */
const isInPart = ({ moduleId }: TestModule): boolean => /\/(?:in-ci|browser)\.ts'/.test(readFileSync(moduleId, 'utf8'));

/** Ends the output of a run with one plain line: `N passed, N failed`. */
export default class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      // A file that cannot even be loaded has no tests to count.
      if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) failed += 1;
      passed += [...module.children.allTests('passed')].length;
      failed += [...module.children.allTests('failed')].length;
      skipped += [...module.children.allTests('skipped')].length;
    }
    // Behind the summary of the usual reporter, which is written after this is called.
    process.once('exit', () => {
      if (!isCi && modules.some(isInPart))
        process.stdout.write('seeds, faults and pages were tried in part: CI=true npm test tries all of them\n');
      if (skipped > 0) process.stdout.write(`${skipped} skipped: the reasons stand beside them\n`);
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    });
  }
}
