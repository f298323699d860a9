import { parseMemory } from '../../quantity/bytes.ts';
import { parseDuration } from '../../quantity/duration.ts';
import { readAmount } from '../../quantity/read-amount.ts';

/** How a requirement is raised between two attempts. */
export interface Raise {
  readonly factor: number;
  /** In bytes, or in seconds. Undefined for no limit. */
  readonly max: number | undefined;
  /** Largest number of attempts; undefined: as many as it takes to reach `max`. */
  readonly maxRetries: number | undefined;
}

export interface Backoff {
  readonly initialSeconds: number;
  readonly factor: number;
  readonly maxSeconds: number;
}

/** What a failure handler does about causes. Torc 1.0.0 has no such rules. */
export interface CauseRules {
  readonly memory: Raise | undefined;
  readonly time: Raise | undefined;
  readonly retriesNodeFailure: boolean;
  readonly backoff: Backoff | undefined;
}

/** A problem of one field, as a sentence: what was found and what was expected. */
export interface FieldProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** The number of attempts where neither `max` nor `max_retries` is set, as for rules by exit code. */
export const USUAL_ATTEMPTS = 3;
/** Smaller factors take many attempts, larger ones are typing errors. */
const LEAST_FACTOR = 1.1;
const LARGEST_FACTOR = 100;
const USUAL_BACKOFF = { factor: 2, maxSeconds: 3600 };

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a handler, or of an entry of its stored rules, that say what to do about causes. */
export const CAUSE_FIELDS = ['on_oom', 'on_timeout', 'on_node_fail', 'backoff'] as const;

/**
 * Rules as they are stored, and sent to the server: fields of the handler that Torc 1.0.0 does not know stand in one more entry
 * of the list. It names no exit code, so for a runner of Torc it never applies.
 */
export function storedRules(handler: { readonly rules?: readonly unknown[] | undefined } & Fields): unknown[] {
  const more = Object.fromEntries(
    CAUSE_FIELDS.flatMap((name) => (handler[name] === undefined ? [] : [[name, handler[name]]])),
  );
  return [...(handler.rules ?? []), ...(Object.keys(more).length === 0 ? [] : [more])];
}

/** Reads the fields of a handler about causes; reports each that does not fit. */
export function readCauseRules(fields: Fields, report: (problem: FieldProblem) => void): CauseRules {
  const memory = readRaise(fields, MEMORY, report);
  const time = readRaise(fields, TIME, report);
  const onNodeFail = given(fields['on_node_fail']);
  if (onNodeFail !== undefined && onNodeFail !== 'retry' && onNodeFail !== 'fail')
    report({ path: ['on_node_fail'], message: `on_node_fail: expected retry or fail, found ${shown(onNodeFail)}` });
  return { memory, time, retriesNodeFailure: onNodeFail === 'retry', backoff: readBackoff(fields, report) };
}

/**
 * What the stored rules of a handler say about causes, if anything. The first entry with a field counts. Throws an error that says
 * what was found and what was expected.
 */
export function readCauses(text: string): CauseRules | undefined {
  const list: unknown = JSON.parse(text);
  const entries = (Array.isArray(list) ? list : []).filter(
    (entry): entry is Fields => isFields(entry) && CAUSE_FIELDS.some((name) => given(entry[name]) !== undefined),
  );
  if (entries.length === 0) return undefined;
  const merged = Object.assign({}, ...entries.toReversed()) as Fields;
  return readCauseRules(merged, ({ message }) => {
    throw new Error(message);
  });
}

interface RaisedField {
  readonly field: 'on_oom' | 'on_timeout';
  readonly what: 'memory' | 'runtime';
  readonly read: (text: string) => number;
  readonly expected: string;
}

const MEMORY: RaisedField = { field: 'on_oom', what: 'memory', read: parseMemory, expected: 'a size such as 64g' };
const TIME: RaisedField = {
  field: 'on_timeout',
  what: 'runtime',
  read: parseDuration,
  expected: 'an ISO 8601 duration such as PT24H',
};

function readRaise(
  fields: Fields,
  { field, what, read, expected }: RaisedField,
  report: (problem: FieldProblem) => void,
): Raise | undefined {
  const value = given(fields[field]);
  if (value === undefined) return undefined;
  if (!isFields(value)) {
    report({ path: [field], message: `${field}: expected {${what}: x1.5}, found ${shown(value)}` });
    return undefined;
  }
  const refuse = (name: string, wanted: string) =>
    report({ path: [field, name], message: `${field}.${name}: expected ${wanted}, found ${shown(value[name])}` });
  const factor = readFactor(value[what]);
  if (factor === undefined) refuse(what, `x and a factor from ${LEAST_FACTOR} to ${LARGEST_FACTOR}, such as x1.5`);
  const max = given(value['max']) === undefined ? undefined : amountAboveZero(value['max'], read);
  if (given(value['max']) !== undefined && max === undefined) refuse('max', expected);
  const maxRetries = given(value['max_retries']);
  const isCount = maxRetries === undefined || (Number.isSafeInteger(maxRetries) && (maxRetries as number) > 0);
  if (!isCount) refuse('max_retries', 'a whole number from 1');
  if (factor === undefined || !isCount) return undefined;
  return {
    factor,
    max,
    maxRetries: (maxRetries as number | undefined) ?? (max === undefined ? USUAL_ATTEMPTS : undefined),
  };
}

/** The factor in `x1.5`. */
function readFactor(text: unknown): number | undefined {
  const digits = typeof text === 'string' ? /^x(\d+(?:\.\d+)?)$/.exec(text.trim())?.[1] : undefined;
  const factor = Number(digits ?? Number.NaN);
  return factor >= LEAST_FACTOR && factor <= LARGEST_FACTOR ? factor : undefined;
}

function amountAboveZero(text: unknown, read: (text: string) => number): number | undefined {
  const amount = typeof text === 'string' ? readAmount(text, read) : undefined;
  return amount !== undefined && amount > 0 ? amount : undefined;
}

function readBackoff(fields: Fields, report: (problem: FieldProblem) => void): Backoff | undefined {
  const value = given(fields['backoff']);
  if (value === undefined) return undefined;
  if (!isFields(value)) {
    report({ path: ['backoff'], message: `backoff: expected {initial: PT30S}, found ${shown(value)}` });
    return undefined;
  }
  const refuse = (name: string, wanted: string) =>
    report({ path: ['backoff', name], message: `backoff.${name}: expected ${wanted}, found ${shown(value[name])}` });
  const initialSeconds = amountAboveZero(value['initial'], parseDuration);
  if (initialSeconds === undefined) refuse('initial', 'an ISO 8601 duration such as PT30S');
  const { factor = USUAL_BACKOFF.factor } = value;
  const isFactor = typeof factor === 'number' && factor >= 1 && factor <= LARGEST_FACTOR;
  if (!isFactor) refuse('factor', `a number from 1 to ${LARGEST_FACTOR}`);
  const maxSeconds =
    given(value['max']) === undefined ? USUAL_BACKOFF.maxSeconds : amountAboveZero(value['max'], parseDuration);
  if (maxSeconds === undefined) refuse('max', 'an ISO 8601 duration such as PT1H');
  if (initialSeconds === undefined || !isFactor || maxSeconds === undefined) return undefined;
  return { initialSeconds, factor, maxSeconds };
}

const given = (value: unknown): unknown => value ?? undefined;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
