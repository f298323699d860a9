/** What a program of the field answers to one question of ours, and what follows. */

/** Three releases, and the five ways in which an answer is none or not whole. */
export const SHAPES = [
  'old',
  'current',
  'newest',
  'nothing',
  'an error on stdout',
  'a banner before it',
  'too much',
  'cut off',
] as const;

type Shape = (typeof SHAPES)[number];

/** Where the text comes from (release, page of the manual, public report), the text, and what is read in it. */
type AnswerRow = readonly [source: string, text: string, value: unknown];

export interface Answers {
  readonly program: string;
  readonly question: string;
  /** Reads the text as the product does. What it throws is read as `{ refused: the message }`. */
  readonly read: (text: string) => unknown;
  readonly rows: Readonly<Record<Shape, AnswerRow>>;
  /** Whole answers with something odd in them. */
  readonly odd?: readonly AnswerRow[];
}

/** Lines that a login shell or a wrapper of the site prints before the program does. */
export const BANNER =
  '*** Maintenance on Tuesday | see https://docs.site.example ***\nLmod has detected: slurm/23.02 is loaded\n';

/** What programs of Slurm say of a controller that is away; some wrappers print it to standard output and end with 0. */
export const SLURM_AWAY = 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n';

/** As many lines as the largest site has jobs. */
export const MANY = 100_000;

export const manyLines = (line: (at: number) => string): string =>
  Array.from({ length: MANY }, (_, at) => line(at)).join('');
