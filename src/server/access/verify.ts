import { Thread } from '../../thread/thread.ts';

export interface PasswordQuestion {
  readonly password: string;
  readonly hash: string;
}

export interface Verifier {
  /** Whether the password matches the hash. */
  verify(password: string, hash: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Compares passwords with bcrypt hashes in a separate thread, which starts with the first comparison. */
export function createVerifier(): Verifier {
  const thread = new Thread<PasswordQuestion, boolean>('./verify-worker', import.meta.url);
  return {
    verify: (password, hash) => thread.ask({ password, hash }),
    close: () => thread.close(),
  };
}
