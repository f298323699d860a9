import { Refusal } from '../../../core/contract/refusals.ts';
import type { Axis } from '../../../core/workflow-file/expand/axes.ts';
import { type ParameterValue, printerOf, valueOf } from '../../../core/workflow-file/expand/parameter-value.ts';
import { readValues } from '../../../core/workflow-file/expand/parameter-values.ts';
import { sequence } from '../../../core/lists/sequence.ts';
import { Failure } from '../../command/failure.ts';

/** Where values of parameters come from. */
export interface ParameterSources {
  readonly readFile: (path: string) => string;
  /** Standard input, for `@-`. */
  readonly readInput: () => string;
}

/** Standard input as the source of values. */
export const INPUT = /^@\s*-$/;

/** `NAME=VALUE` as it was typed, with the values that it stands for. */
export function axisOf(text: string, { readFile, readInput }: ParameterSources, limit: number): Axis {
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(text);
  if (match === null) throw new Failure(`--param ${text}: expected NAME=VALUE`);
  const [, name = '', value = ''] = match;
  try {
    if (!INPUT.test(value.trim())) return { name, ...readValues(value, { readFile, limit }) };
    const values = inputValues(readInput());
    return { name, values: sequence(values.length, (index) => values[index]), isQuoted: true };
  } catch (cause) {
    if (cause instanceof Refusal) throw new Failure(`--param ${text}: ${cause.message}`, { cause });
    throw cause;
  }
}

/**
 * The values in a list from standard input.
 *
 * Shape: a value a line, empty ones dropped; or, in a list with NUL characters, as `find -print0` writes it, what stands between them.
 * Each value is taken as it is, where `@file` trims it, passes over `#` and reads numbers as Torc does: `007` stays `007`. See ADR 22.
 */
export function inputValues(text: string): ParameterValue[] {
  if (text.includes('\0')) return text.split('\0').filter((value) => value !== '');
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map(asWritten);
}

const plain = printerOf(undefined);

/** A number where that prints the same text, so that `{i:03d}` has a meaning; else the text. */
function asWritten(text: string): ParameterValue {
  const value = valueOf(text);
  return plain(value) === text ? value : text;
}
