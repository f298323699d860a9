import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

export interface Strength {
  /** 0 to 4. */
  readonly score: number;
  /** The estimator's key for the weakness. */
  readonly warning: string | undefined;
}

/**
 * How well a password resists guessing, by zxcvbn; `known` are words that an attacker tries first.
 *
 * Of its 57,000 words the estimator gets only those whose letters occur in the password: adding all of them to its
 * tables takes 40 ms, half of the time of a `torc-htpasswd add`, and no other word can be part of the password. The
 * rank of a word, which determines the score, stays that of the whole list.
 */
export function strengthOf(password: string, known: readonly string[]): Strength {
  const factory = new ZxcvbnFactory({ graphs: adjacencyGraphs });
  // Not part of its types; otherwise its tables of ranks can only be built from whole lists.
  const options = factory['options'];
  const isPossible = lettersOf(password, options.l33tTable);
  for (const [name, words] of Object.entries(dictionary)) {
    const { ranks, longest } = possibleWords(words as readonly string[], isPossible);
    options.rankedDictionaries[name] = ranks;
    options.rankedDictionariesMaxWordSize[name] = longest;
  }
  const { score, feedback } = factory.check(password, [...known]);
  return { score, warning: feedback.warning ?? undefined };
}

/** The UTF-16 units that a word may contain: those of the password, and the letters that its characters may replace. */
function lettersOf(password: string, substitutes: Readonly<Record<string, readonly string[]>>): Uint8Array {
  const units = new Uint8Array(0x1_00_00);
  const add = (text: string) => {
    for (let at = 0; at < text.length; at += 1) units[text.charCodeAt(at)] = 1;
  };
  const lower = password.toLowerCase();
  add(lower);
  for (const [letters, stands] of Object.entries(substitutes)) {
    if (stands.some((each) => password.includes(each) || lower.includes(each))) add(letters.toLowerCase());
  }
  return units;
}

function possibleWords(words: readonly string[], isPossible: Uint8Array) {
  const ranks: Record<string, number> = {};
  let longest = 0;
  // By index: entries() creates an array for each word, and collecting them takes as long as everything else.
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    if (!hasOnly(word, isPossible)) continue;
    ranks[word] = index + 1;
    longest = Math.max(longest, word.length);
  }
  return { ranks, longest };
}

function hasOnly(word: string, isPossible: Uint8Array): boolean {
  for (let at = 0; at < word.length; at += 1) if (isPossible[word.charCodeAt(at)] !== 1) return false;
  return true;
}
