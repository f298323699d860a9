/** A helper program failed: it is missing, was too slow, or reported an error, which the message contains. */
export class HelperFailed extends Error {
  /** It was killed at its limit of time or of output: what it was asked to do may have been done. */
  readonly isLate: boolean;
  /** There is no such program here. */
  readonly isMissing: boolean;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | undefined;
  readonly stderr: string;

  constructor(
    message: string,
    { isLate = false, isMissing = false, signal, stderr = '' }: Partial<Omit<HelperFailed, keyof Error>> = {},
  ) {
    super(message);
    this.name = 'HelperFailed';
    this.isLate = isLate;
    this.isMissing = isMissing;
    this.signal = signal;
    this.stderr = stderr;
  }
}

const MOST_WORDS = 4096;

/** The end of what a program says of its failure, where the reason stands: for messages. What it means is decided by all of it. */
export const endOfWords = (words: string): string =>
  words.length > MOST_WORDS ? `…${words.slice(-MOST_WORDS)}` : words;
