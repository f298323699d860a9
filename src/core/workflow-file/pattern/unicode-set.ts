import { inverse, setOf, type LetterTest } from './letters.ts';

/**
 * The set of a Unicode property as `\p{…}` names it: `Lu`, `greek`, `Script=Greek`, `sc:greek`, `gc!=Letter`.
 *
 * As in Rust, case, blanks, `_` and `-` between words and a leading `is` do not matter, and a script needs no
 * `Script=`. JavaScript accepts only one spelling, so the likely ones are tried. Undefined for a property that the
 * runtime does not have; `Age` and the break properties are among these.
 */
export function unicodeSet(text: string, ignoresCase: boolean): LetterTest | undefined {
  const [, name = '', sign = '', value = ''] = /^(.*?)(!=|:|=)(.*)$/s.exec(text) ?? [undefined, text];
  const sources =
    sign === ''
      ? spellings(name).flatMap((spelled) => [spelled, `Script=${spelled}`])
      : propertyNames(name).flatMap((property) => spellings(value).map((spelled) => `${property}=${spelled}`));
  for (const source of sources) {
    const set = setOf(`\\p{${source}}`, ignoresCase);
    if (set !== undefined) return sign === '!=' ? inverse(set) : set;
  }
  return undefined;
}

const PROPERTIES: Readonly<Record<string, string>> = {
  gc: 'gc',
  generalcategory: 'gc',
  sc: 'sc',
  script: 'sc',
  scx: 'scx',
  scriptextensions: 'scx',
};

const propertyNames = (name: string): string[] => {
  const known = PROPERTIES[name.toLowerCase().replace(/[\s_-]/g, '')];
  return known === undefined ? [] : [known];
};

/** A name unchanged, as `Like_This` and as `LIKETHIS`. */
function spellings(name: string): string[] {
  const words = name
    .trim()
    .replace(/^is[\s_-]*(?=.)/i, '')
    .split(/[\s_-]+/)
    .filter((word) => word !== '');
  const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`;
  return [name, words.map(capital).join('_'), words.join('').toUpperCase()];
}
