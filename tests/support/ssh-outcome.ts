import type { SshOutcome } from '../../src/cluster/ssh/log-in.ts';

/** A call of ssh that ended well and printed nothing, but for what is given. */
export const endedSsh = (over: Partial<SshOutcome> = {}): SshOutcome => ({
  code: 0,
  signal: null,
  stdout: '',
  stderr: '',
  isLate: false,
  isTooMuch: false,
  hasBegun: true,
  logins: 1,
  ...over,
});
