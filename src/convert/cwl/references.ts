import { type Cwl, isCwlList, isCwlMap, Later, Unsupported } from './value.ts';

/** What a reference may read. */
export type Scope = Readonly<Record<string, Cwl>>;

const REFERENCE = /\$\(\s*(\w+)((?:\.\w+|\[\s*(?:'[^']*'|"[^"]*"|\d+)\s*\])*)\s*\)/;
const SEGMENT = /\.(\w+)|\[\s*(?:'([^']*)'|"([^"]*)"|(\d+))\s*\]/g;

/**
 * The value of a text with references such as `$(inputs.file.basename)`: the value itself where the text is one reference, else
 * the text with the values in it. Values that are no text are as they stand.
 *
 * Throws: `Unsupported` for JavaScript, which this converter does not run.
 */
export function resolve(value: Cwl, scope: Scope): Cwl {
  if (typeof value !== 'string') return value;
  const whole = value.trim();
  if (REFERENCE.exec(whole)?.[0] === whole && whole !== '') return read(whole, scope);
  let text = '';
  let left = value;
  for (;;) {
    const at = left.search(/\\?\$[({]/);
    if (at < 0) return text + left;
    text += left.slice(0, at);
    left = left.slice(at);
    if (left.startsWith('\\')) {
      text += left.slice(1, 3);
      left = left.slice(3);
      continue;
    }
    const found = REFERENCE.exec(left);
    if (found?.index !== 0) throw new Unsupported(`the expression ${shortened(left)}`);
    const inserted = read(found[0], scope);
    if (inserted instanceof Later) return inserted;
    text += typeof inserted === 'string' ? inserted : JSON.stringify(inserted);
    left = left.slice(found[0].length);
  }
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text).replaceAll(/\s+/g, ' ');

function read(reference: string, scope: Scope): Cwl {
  const [, symbol = '', segments = ''] = REFERENCE.exec(reference) ?? [];
  if (symbol === 'null' && segments === '') return null;
  let value = scope[symbol];
  if (value === undefined) throw new Unsupported(`the expression ${reference}`);
  for (const [, name, single, double, index] of segments.matchAll(SEGMENT)) {
    if (value instanceof Later) return value;
    const key = name ?? single ?? double;
    if (key === 'length' && isCwlList(value)) value = value.length;
    else if (index !== undefined && isCwlList(value)) value = value[Number(index)] ?? null;
    else if (key !== undefined && isCwlMap(value)) {
      if (key === 'contents' || key === 'size' || key === 'listing')
        return value[key] ?? new Later(`${key} of a file is known only in a run`);
      value = value[key] ?? null;
    } else value = null;
  }
  return value;
}
