import { GREATEST_UINT } from './extended-uint.ts';
import type { ScalarKind } from './kinds.ts';
import { rangeProblem } from './node-range.ts';
import type { ProblemLevel } from './problem.ts';
import { FractionText } from './read-json.ts';
import { parseTimestamp } from './timestamp.ts';

type Report = (level: ProblemLevel, found: unknown, expected: string) => undefined;

export const EXPECTED: Readonly<Record<ScalarKind, string>> = {
  string: 'text',
  nonempty: 'text that is not empty',
  uint: 'an integer from 0 to 18446744073709551615',
  nonzero: 'an integer from 1 to 18446744073709551615',
  extended: 'an integer: 0 for unset, 1 for infinite, or a value with 2 added, to 18446744073709551615',
  int: 'an integer of 64 bits',
  float: 'a finite number',
  bool: 'true or false',
  timestamp: 'a time such as 2026-11-22T17:00:00+00:00',
  hostname: 'a host name: letters, digits, ".", "-" and "_"',
  range: 'a node range such as c[1-3,5].fox',
};

const HOSTNAME = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/;

/** The typed value, or undefined for the default. */
export function checkScalar(kind: ScalarKind, raw: unknown, report: Report): unknown {
  if (kind === 'uint' || kind === 'nonzero' || kind === 'extended' || kind === 'int')
    return checkInteger(kind, raw, report);
  if (kind === 'float') {
    const value = raw instanceof FractionText ? raw.value : typeof raw === 'bigint' ? Number(raw) : raw;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  } else if (kind === 'bool') {
    if (typeof raw === 'boolean') return raw;
  } else if (typeof raw === 'string') return checkText(kind, raw, report);
  return report('unusable', raw, EXPECTED[kind]);
}

function checkInteger(kind: ScalarKind, raw: unknown, report: Report): unknown {
  let value = raw;
  if (raw instanceof FractionText && Number.isSafeInteger(raw.value)) {
    report('refused', raw, 'a plain integer, without a fraction or an exponent');
    value = raw.value;
  }
  const isInteger = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!isInteger || !inRange(kind, value as number | bigint)) return report('unusable', raw, EXPECTED[kind]);
  if (kind === 'nonzero' && Number(value) === 0) report('refused', raw, 'a number above zero');
  return value;
}

function checkText(kind: ScalarKind, raw: string, report: Report): unknown {
  if (!raw.isWellFormed()) return report('unusable', raw, 'Unicode text: it has half of a surrogate pair');
  if (raw === '') {
    if (kind === 'nonempty') report('refused', raw, 'text that is not empty');
    // A default; what is required is reported as missing.
    return kind === 'timestamp' || kind === 'hostname' ? undefined : kind === 'range' ? checkRange(raw, report) : raw;
  }
  if (kind === 'timestamp' && parseTimestamp(raw) === undefined) report('unusable', raw, EXPECTED[kind]);
  else if (kind === 'hostname' && !HOSTNAME.test(raw)) report('unusable', raw, EXPECTED[kind]);
  else if (kind === 'range') return checkRange(raw, report);
  return raw;
}

function checkRange(raw: string, report: Report): string {
  const problem = rangeProblem(raw);
  if (problem !== undefined) report('unusable', raw, `a node range (${problem})`);
  return raw;
}

const inRange = (kind: ScalarKind, value: number | bigint): boolean =>
  kind === 'int'
    ? typeof value === 'number' || (value >= -(2n ** 63n) && value < 2n ** 63n)
    : value >= 0 && (typeof value === 'number' || value <= GREATEST_UINT);

/** A value as a person recognizes it, in few characters. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof FractionText) return value.text;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value as number | bigint | boolean | null);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
