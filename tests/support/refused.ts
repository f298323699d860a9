import { HelperFailed } from '../../src/cluster/helper-failed.ts';

/** Whether a text was read, or refused as no answer; every other error is thrown. */
export function isReadOrRefused(read: () => unknown): true {
  try {
    read();
  } catch (error) {
    if (!(error instanceof HelperFailed)) throw error;
  }
  return true;
}
