import type { Outcome } from '../outcome.ts';

/** One rule of a failure handler: for which return codes a job runs again, how often, and what is done before. */
export interface Rule {
  readonly exitCodes: readonly number[];
  readonly matchesAll: boolean;
  readonly recoveryScript: string | undefined;
  /** Counts attempts: with 3 a job runs three times at most. */
  readonly maxRetries: number;
}

/** The rules that a job has: none without a handler, and `unreadable` where its handler cannot be had or read. */
export type Rules = readonly Rule[] | 'none' | 'unreadable';

/** What becomes of a job whose attempt went wrong. */
export type Verdict =
  | { readonly kind: 'stays' }
  /** It waits for a person's decision. */
  | { readonly kind: 'undecided' }
  | { readonly kind: 'again'; readonly rule: Rule };

/**
 * The verdict of a job's rules on an attempt that went wrong.
 *
 * A job waits for a decision only where its workflow asks for that and no rule speaks of the return code: not when a rule
 * does and allows no more attempts, not when nobody knows what the rules say, and not when it was terminated, for that was
 * not its own failure.
 */
export function verdictOf(
  { status, returnCode }: Outcome,
  attempt: number,
  rules: Rules,
  usesPendingFailed: boolean,
): Verdict {
  if (rules === 'unreadable') return { kind: 'stays' };
  const rule = rules === 'none' ? undefined : ruleFor(rules, returnCode);
  if (rule === undefined) return { kind: usesPendingFailed && status === 'failed' ? 'undecided' : 'stays' };
  return attempt >= rule.maxRetries ? { kind: 'stays' } : { kind: 'again', rule };
}

/** The first rule that names the return code, else the first that is for all. */
function ruleFor(rules: readonly Rule[], returnCode: number): Rule | undefined {
  return rules.find(({ exitCodes }) => exitCodes.includes(returnCode)) ?? rules.find(({ matchesAll }) => matchesAll);
}

/** Attempts where a rule does not say how many, as in the original. */
const USUAL_MAX_RETRIES = 3;

/**
 * The rules of a handler, from its JSON text. The server keeps any text, so it is checked here; unknown keys are passed over.
 *
 * Throws: an error that says what was found where.
 */
export function readRules(text: string): Rule[] {
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
