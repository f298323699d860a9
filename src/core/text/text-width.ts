/** Columns that a text takes on a terminal. The text has no control characters. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of unicode().graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/**
 * The text in at most `width` columns, with an ellipsis for what is left out.
 *
 * From the middle for names and paths: those of one sweep begin alike and differ at the end.
 */
export function shortened(text: string, width: number, from: 'end' | 'middle' = 'end'): string {
  if (textWidth(text) <= width) return text;
  if (width <= 1) return width === 1 ? '…' : '';
  const segments = Array.from(unicode().graphemes.segment(text), ({ segment }) => segment);
  const behind = from === 'end' ? 0 : Math.floor((width - 1) / 2);
  const start = fitting(segments, width - 1 - behind);
  const end = fitting(segments.toReversed(), behind).toReversed();
  return `${start.join('')}…${end.join('')}`;
}

/** As many of these as fit, from the first on. */
function fitting(segments: readonly string[], width: number): string[] {
  const taken: string[] = [];
  let left = width;
  for (const segment of segments) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    taken.push(segment);
  }
  return taken;
}

/** Most cells: letters, signs and lines that take one column each and combine with nothing. */
const isPlain = (text: string) => PLAIN.test(text);
const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2015\u2018-\u201f\u2026\u2190-\u2193\u2500-\u257f]*$/;

/**
 * What is needed for other text.
 *
 * Made on first use, and from strings: expressions with properties of Unicode that stand in the source are compiled when
 * the file is loaded. They and the segmenter take 70 ms, which each command would spend.
 */
function createUnicode() {
  return {
    graphemes: new Intl.Segmenter(),
    takesNothing: new RegExp(`^[${TAKES_NOTHING}]$`, 'u'),
    wide: new RegExp(`^[${WIDE}]$`, 'u'),
    narrow: new RegExp(`^[${NARROW}]$`, 'u'),
    emoji: new RegExp(String.raw`^\p{RGI_Emoji}$`, 'v'),
  };
}
let made: ReturnType<typeof createUnicode> | undefined;
const unicode = () => (made ??= createUnicode());

/** Marks over other characters, joiners and the like; vowels and final consonants that are drawn into a Hangul syllable. */
const TAKES_NOTHING = String.raw`\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff`;
/**
 * Characters that take two columns: those of East Asian width W or F, after Unicode's EastAsianWidth.txt. By scripts, so that the
 * runtime knows new ones; ranges for signs that have no script. Compared with the file of Unicode 17: no assigned character differs.
 */
const WIDE = [
  String.raw`\p{Emoji_Presentation}`,
  ...['Han', 'Hangul', 'Hiragana', 'Katakana', 'Bopomofo', 'Yi', 'Tangut', 'Nushu', 'Khitan_Small_Script'].map(
    (script) => String.raw`\p{Script=${script}}`,
  ),
  String.raw`\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3040-\u33ff\u4dc0-\u4dff\ufe10-\ufe19\ufe30-\ufe6f`,
  String.raw`\uff01-\uff60\uffe0-\uffe6\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}`,
].join('');
/** Of those scripts and narrow all the same: tone marks, circled numbers, half-width letters, halves of flags. */
const NARROW = String.raw`\u02ea\u02eb\u3248-\u324f\uff61-\uffdc\u{1f1e6}-\u{1f1ff}`;

function graphemeWidth(grapheme: string): number {
  if (isPlain(grapheme)) return grapheme.length;
  const { emoji, takesNothing, wide, narrow } = unicode();
  // Also sequences that are shown as one picture: flags, families, skin tones.
  if (emoji.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!takesNothing.test(character)) width += wide.test(character) && !narrow.test(character) ? 2 : 1;
  }
  return width;
}
