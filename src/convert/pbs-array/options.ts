import { type Directive, type ReadSubmitOptions, wordSet } from '../array/script.ts';

/** Options of qsub(1B) by their letter. */
const LONG: Readonly<Record<string, string>> = {
  A: 'account',
  a: 'begin',
  c: 'checkpoint',
  C: 'prefix',
  e: 'error',
  f: 'foreground',
  h: 'hold',
  I: 'interactive',
  J: 'array',
  j: 'join',
  k: 'keep',
  M: 'mail-user',
  m: 'mail-type',
  N: 'job-name',
  o: 'output',
  P: 'project',
  p: 'priority',
  q: 'queue',
  R: 'remove',
  r: 'rerunable',
  S: 'shell',
  u: 'user',
  V: 'whole-environment',
  v: 'export',
  X: 'display',
  z: 'quiet',
};
const FLAGS = wordSet('f h I V X z');

/** Resources of `-l`, and attributes of `-W`, have names before them that no option has. */
export const RESOURCE = 'l:';
export const ATTRIBUTE = 'W:';

/**
 * Options of qsub(1B). Each resource of `-l` is one of its own, because several `-l` add up where other options replace each other; so is each
 * attribute of `-W`. `-W depend=` is the dependency.
 */
export const readQsubOptions: ReadSubmitOptions = (words, line, endsAtWord = false) => {
  const found: Directive[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (endsAtWord && !word.startsWith('-')) return { directives: found, rest: words.slice(at) };
    const [, letter = '', rest = ''] = /^-([A-Za-z])(.*)$/s.exec(word) ?? [];
    let value: string | undefined = rest === '' ? undefined : rest;
    const next = words[at + 1];
    if (value === undefined && letter !== '' && !FLAGS.has(letter) && next !== undefined) {
      value = next;
      at += 1;
    }
    if (letter === 'l')
      for (const [name, each] of pairsIn(value)) found.push({ name: RESOURCE + name, value: each, line });
    else if (letter === 'W')
      for (const [name, each] of pairsIn(value))
        found.push({ name: name === 'depend' ? 'dependency' : ATTRIBUTE + name, value: each, line });
    else found.push({ name: LONG[letter] ?? word, value, line });
  }
  return { directives: found, rest: [] };
};

/** `select=1:ncpus=2,walltime=1:00:00`, where a part without a name belongs to the value before it: `depend=afterok:1,afterany:2`. */
function pairsIn(text = ''): [string, string][] {
  const pairs: [string, string][] = [];
  for (const part of text.split(',')) {
    const [, name, value = ''] = /^\s*([\w.]+)=(.*)$/s.exec(part) ?? [];
    const last = pairs.at(-1);
    if (name !== undefined) pairs.push([name, value]);
    else if (last === undefined) pairs.push([part.trim(), '']);
    else last[1] += `,${part}`;
  }
  return pairs;
}

const LETTERS = new Map(Object.entries(LONG).map(([letter, name]) => [name, letter]));

/** As qsub has it. */
export function qsubText({ name, value }: Directive): string {
  const is = value === undefined || value === '' ? '' : `=${value}`;
  if (name.startsWith(RESOURCE)) return `-l ${name.slice(RESOURCE.length)}${is}`;
  if (name === 'dependency') return `-W depend${is}`;
  if (name.startsWith(ATTRIBUTE)) return `-W ${name.slice(ATTRIBUTE.length)}${is}`;
  return `${LETTERS.has(name) ? `-${LETTERS.get(name)}` : name}${value === undefined ? '' : ` ${value}`}`;
}
