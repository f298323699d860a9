import { type Axes, indexIn } from '../core/workflow-file/expand/axes.ts';
import { printerOf } from '../core/workflow-file/expand/parameter-value.ts';

/** Most characters of one value, and of all values together, in the name of a job. */
const VALUE_LENGTH = 40;
const VALUES_LENGTH = 80;
/** Of a value of more characters only both ends are looked at. */
const LONG = 400;

const plain = printerOf(undefined);

/**
 * The name of a job of `exec`: `job3`, and with parameters the values behind it, `job3_0.1_adam`.
 *
 * The number makes it unique, because different values may look the same here: other characters than letters, digits and
 * `.+=,@%-` become `_`, and a long value loses its middle.
 */
export function jobName(number: number, { axes }: Axes, combination: number): string {
  const values = axes.flatMap((axis) => {
    const value = axis.values.at(indexIn(axis, combination));
    const word = value === undefined ? '' : wordOf(plain(value));
    return word === '' ? [] : [shortened(word, VALUE_LENGTH)];
  });
  return [`job${number}`, ...(values.length === 0 ? [] : [shortened(values.join('_'), VALUES_LENGTH)])].join('_');
}

const wordOf = (text: string): string =>
  (text.length > LONG ? `${text.slice(0, LONG / 2)} ${text.slice(-LONG / 2)}` : text)
    .replace(/^(?:\.\/)+/, '')
    .replaceAll(/[^\p{L}\p{N}.+=,@%-]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');

/** The end says more than the beginning: paths differ there. */
function shortened(word: string, length: number): string {
  const letters = Array.from(word);
  if (letters.length <= length) return word;
  const head = Math.floor((length - 2) / 3);
  return `${letters.slice(0, head).join('')}..${letters.slice(head + 2 - length).join('')}`;
}
