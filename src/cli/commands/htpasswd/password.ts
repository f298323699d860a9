import { Failure } from '../../command/failure.ts';

const LEAST_CHARACTERS = 8;
/** Of 4, as in Torc 1.0.0: it resists guessing if the file of hashes is stolen. */
const LEAST_SCORE = 3;

/** Refuses a password that is easy to guess, or too long for bcrypt; the user's name counts as a guess. */
export async function refuseWeak(password: string, user: string): Promise<void> {
  const characters = Array.from(password).length;
  if (characters < LEAST_CHARACTERS)
    throw new Failure(`Password is too short (${characters} characters). Minimum length is ${LEAST_CHARACTERS}.`);
  const { default: bcrypt } = await import('bcryptjs');
  if (bcrypt.truncates(password)) throw new Failure('Password is too long: bcrypt uses only its first 72 bytes.');
  const { strengthOf } = await import('./strength.ts');
  const { score, warning: key } = strengthOf(password, [user, 'torc']);
  if (score >= LEAST_SCORE) return;
  const warning = warnings[key ?? ''];
  throw new Failure(
    [
      `Password is too weak (score ${score}/4, minimum required: ${LEAST_SCORE}/4).`,
      ...(warning === undefined ? [] : [`Warning: ${warning}`]),
      'Suggestion: Use four unrelated words.',
    ].join('\n'),
  );
}

const common = 'Many people use this or a similar password.';
const pattern = 'Repetitions, sequences and rows of keys are guessed first.';
const date = 'Years and dates are guessed first.';

/** Our texts for the keys of the estimator. */
const warnings: Readonly<Record<string, string>> = {
  topTen: common,
  topHundred: common,
  common,
  similarToCommon: common,
  straightRow: pattern,
  keyPattern: pattern,
  simpleRepeat: pattern,
  extendedRepeat: pattern,
  sequences: pattern,
  recentYears: date,
  dates: date,
  wordByItself: 'A single word is guessed first.',
  userInputs: 'The name of the user is guessed first.',
};

export async function hashed(password: string, cost: number): Promise<string> {
  const { default: bcrypt } = await import('bcryptjs');
  return bcrypt.hash(password, cost);
}
