import { onTestFinished, TestRunner } from 'vitest';

type CleanUp = () => Promise<unknown> | void;

/** What was started before the tests of a file. */
const behindAllTests: CleanUp[] = [];

export const isInTest = (): boolean => (TestRunner.getCurrentTest() as object | undefined) !== undefined;

/** Cleans up at the end of the test; what `beforeAll` started, behind the last test of the file. */
export function whenOver(cleanUp: CleanUp): void {
  if (isInTest()) onTestFinished(async () => void (await cleanUp()));
  else behindAllTests.push(cleanUp);
}

/** Cleans up behind the last test of the file also what a test started, because the tests after it use it. */
export const whenFileIsOver = (cleanUp: CleanUp): void => void behindAllTests.push(cleanUp);

/** Ends what was started for all tests of a file, in the opposite order. */
export async function endOfFile(): Promise<void> {
  for (const cleanUp of behindAllTests.splice(0).reverse()) await cleanUp();
}
