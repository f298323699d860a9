import type { Verdict as Judged } from '../../../core/attempt/judge.ts';

/** One rule of a failure handler: for which return codes a job is retried, how often, and which script runs before. */
export interface Rule {
  readonly exitCodes: readonly number[];
  readonly matchesAll: boolean;
  readonly recoveryScript: string | undefined;
  /** Counts attempts: with 3 a job runs at most three times. */
  readonly maxRetries: number;
}

/** The rules of a job: none without a handler, and `unreadable` if its handler cannot be fetched or parsed. */
export type RetryRules = readonly Rule[] | 'none' | 'unreadable';

/** The decision about a failed attempt. */
export type RetryVerdict =
  | { readonly kind: 'stays' }
  /** It waits for a decision of the user. */
  | { readonly kind: 'undecided' }
  | { readonly kind: 'again'; readonly rule: Rule };

/**
 * The decision of a job's rules about a failed attempt.
 *
 * A job waits for a decision only if its workflow enables that and no rule covers the return code: not if a rule covers
 * it and allows no more attempts, not if the rules are unreadable, and not if the job was terminated, because that was
 * not its own failure.
 */
export function retryVerdictOf(
  { status, returnCode }: Judged,
  attempt: number,
  rules: RetryRules,
  usesPendingFailed: boolean,
): RetryVerdict {
  if (rules === 'unreadable') return { kind: 'stays' };
  const rule = rules === 'none' ? undefined : ruleFor(rules, returnCode);
  if (rule === undefined) return { kind: usesPendingFailed && status === 'failed' ? 'undecided' : 'stays' };
  return attempt >= rule.maxRetries ? { kind: 'stays' } : { kind: 'again', rule };
}

/** The first rule that names the return code, otherwise the first rule for all codes. */
function ruleFor(rules: readonly Rule[], returnCode: number): Rule | undefined {
  return rules.find(({ exitCodes }) => exitCodes.includes(returnCode)) ?? rules.find(({ matchesAll }) => matchesAll);
}

/** The maximum number of attempts if a rule does not set it, as in Torc 1.0.0. */
const USUAL_MAX_RETRIES = 3;

/**
 * The rules of a handler, from its JSON text. The server accepts any text, so it is checked here; unknown keys are
 * ignored.
 *
 * Throws an error that says what was found where.
 */
export function readRetryRules(text: string): Rule[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error(`expected a list of rules, found ${kindOf(list)}`);
  return list.map((each: unknown, index) => readRule(each, `rule ${index + 1}`));
}

function readRule(rule: unknown, where: string): Rule {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule))
    throw new Error(`${where}: expected an object, found ${kindOf(rule)}`);
  const fields = rule as Readonly<Record<string, unknown>>;
  const field = <T>(name: string, otherwise: T, what: string, is: (value: unknown) => boolean): T => {
    const value = fields[name];
    if (value === undefined || value === null) return otherwise;
    if (!is(value)) throw new Error(`${where}: ${name}: expected ${what}, found ${JSON.stringify(value)}`);
    return value as T;
  };
  return {
    exitCodes: field<number[]>(
      'exit_codes',
      [],
      'a list of whole numbers',
      (value) => Array.isArray(value) && value.every(Number.isInteger),
    ),
    matchesAll: field('match_all_exit_codes', false, 'true or false', (value) => typeof value === 'boolean'),
    recoveryScript: field<string | undefined>(
      'recovery_script',
      undefined,
      'text',
      (value) => typeof value === 'string',
    ),
    maxRetries: field('max_retries', USUAL_MAX_RETRIES, 'a whole number', Number.isInteger),
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
