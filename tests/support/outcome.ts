import type { TestModule } from 'vitest/node';

/** How one file of a run ended. */
export interface FileOutcome {
  /** From the root of the project. */
  readonly path: string;
  /** Full names. */
  readonly passed: readonly string[];
  readonly skipped: number;
  /** Full names of the tests that failed; the path itself for a file that could not be loaded, or a hook that failed. */
  readonly failed: readonly string[];
}

export interface Outcome {
  readonly files: readonly FileOutcome[];
  /** Errors that belong to no file. */
  readonly errors: number;
  /** Tests that failed at their first try and passed at their second. */
  readonly unsteady: readonly string[];
}

/** Files that may fail at their first try in CI: more of them are a fault of the suite or of the program, and not of the machine. */
export const MOST_UNSTEADY = 3;

export function fileOutcome(module: TestModule): FileOutcome {
  const namesOf = (state: 'passed' | 'failed' | 'skipped') =>
    [...module.children.allTests(state)].map((test) => test.fullName);
  const failed = namesOf('failed');
  const path = module.relativeModuleId;
  return {
    path,
    passed: namesOf('passed'),
    skipped: namesOf('skipped').length,
    failed: failed.length === 0 && module.state() === 'failed' ? [path] : failed,
  };
}

/** The files of a run in CI that are tried once more, alone: none where too many failed, or where an error belongs to no file. */
export function toTryAgain({ files, errors }: Outcome): string[] {
  const failed = files.filter((file) => file.failed.length > 0);
  return errors > 0 || failed.length > MOST_UNSTEADY ? [] : failed.map(({ path }) => path);
}

/**
 * The outcome of a run whose failed files were tried again: the second try of a file counts. A test that failed and was then left out stays
 * failed, because nothing shows that it can pass.
 */
export function afterSecondTry(first: Outcome, second: Outcome): Outcome {
  const again = new Map(second.files.map((file) => [file.path, file]));
  const unsteady: string[] = [];
  const files = first.files.map((file) => {
    const after = again.get(file.path);
    if (after === undefined) return file;
    const passes = (name: string) =>
      after.passed.includes(name) || (name === file.path && after.failed.length === 0 && after.passed.length > 0);
    unsteady.push(...file.failed.filter(passes).map((name) => `${file.path}: ${name}`));
    return { ...after, failed: [...new Set([...after.failed, ...file.failed.filter((name) => !passes(name))])] };
  });
  return { files, errors: first.errors + second.errors, unsteady };
}

/** The last lines of a run; the very last is `N passed, N failed`. */
export function lastLinesOf({ files, errors, unsteady }: Outcome, inPart: boolean): string[] {
  const sum = (count: (file: FileOutcome) => number) => files.reduce((total, file) => total + count(file), 0);
  const skipped = sum((file) => file.skipped);
  return [
    ...(inPart ? ['seeds, faults and pages were tried in part: CI=true npm test tries all of them'] : []),
    ...(skipped > 0 ? [`${skipped} skipped: the reasons stand beside them`] : []),
    ...unsteady.map((name) => `passed at its second try, to be repaired: ${name}`),
    `${sum((file) => file.passed.length)} passed, ${sum((file) => file.failed.length) + errors} failed`,
  ];
}
