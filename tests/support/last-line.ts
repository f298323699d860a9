import type { Reporter, TestModule } from 'vitest/node';
import { isCi } from './in-ci.ts';

const IN_PART = /day-of-faults|slurm\/kills/;

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
      if (!isCi && modules.some(({ moduleId }) => IN_PART.test(moduleId)))
        process.stdout.write('faults and kills were tried in part: CI=true npm test tries all of them\n');
      if (skipped > 0) process.stdout.write(`${skipped} skipped: the reasons stand beside them\n`);
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    });
  }
}
