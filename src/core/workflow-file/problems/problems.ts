import { withShortWords } from '../../quantity/short-words.ts';
import type { Sequence } from '../../lists/sequence.ts';
import type { TextPart } from './text-part.ts';

/**
 * All possible problems of a workflow file.
 *
 * No check stops at the first error: each adds its problems, and the reader finds their places in the file at the end.
 * A problem contains the sentence that Torc prints for the same error, so that scripts which search for it continue to
 * work, and adds where it is, what is allowed and what was probably meant.
 */

/** The place of a value in a workflow: `['jobs', 3, 'depends_on', 0]`. */
export type ValuePath = readonly (string | number)[];

export type ProblemSeverity = 'error' | 'warning';

/**
 * The step that finds a problem. `creation` contains what Torc reports only at creation, never in a dry run;
 * `resources` what `--skip-checks` skips; `advice` what Torc does not report at all.
 */
export type Stage =
  | 'read'
  | 'expand'
  | 'validate'
  | 'action'
  | 'env'
  | 'identifier'
  | 'reference'
  | 'creation'
  | 'resources'
  | 'advice';

/** The kinds of problems: the step that finds each, and its severity. */
export const problemKinds = {
  SYNTAX: ['read', 'error'],
  EMPTY: ['read', 'error'],
  FORMAT_UNKNOWN: ['read', 'error'],
  ALIASES_TOO_MANY: ['read', 'error'],
  FIELD_UNKNOWN: ['read', 'error'],
  FIELD_MISSING: ['read', 'error'],
  FIELD_MOVED: ['read', 'error'],
  ADDITION_REFUSED: ['read', 'error'],
  TYPE_WRONG: ['read', 'error'],
  TEXT_REFUSED: ['read', 'error'],
  CHOICE_UNKNOWN: ['read', 'error'],
  KDL_MALFORMED: ['read', 'error'],
  VARIABLE_MALFORMED: ['read', 'error'],
  VARIABLE_COLLIDES: ['read', 'error'],
  TEMPLATE_UNDEFINED: ['read', 'error'],
  KEY_DUPLICATE: ['read', 'warning'],
  KDL_NODE_IGNORED: ['read', 'warning'],
  KDL_VALUE_IGNORED: ['read', 'warning'],
  FIELD_IGNORED: ['advice', 'warning'],
  NUMBER_INEXACT: ['advice', 'warning'],
  KDL_NODE_RENAMED: ['advice', 'warning'],

  PARAMETER_MALFORMED: ['expand', 'error'],
  TABLE_MALFORMED: ['expand', 'error'],
  PARAMETERS_CONFLICT: ['expand', 'error'],
  EXPANSION_TOO_LARGE: ['expand', 'error'],
  GLOB_REFUSED: ['expand', 'error'],
  GLOB_UNMATCHED: ['expand', 'error'],

  NAME_DUPLICATE: ['validate', 'error'],
  LABEL_MALFORMED: ['validate', 'error'],
  SURROUNDINGS_REFUSED: ['validate', 'error'],
  FATE_CONFLICT: ['validate', 'error'],
  DYNAMIC_JOBS_LIMIT: ['validate', 'error'],
  ACTION_REFUSED: ['action', 'error'],
  ENV_NAME_MALFORMED: ['env', 'error'],
  IDENTIFIER_REFUSED: ['identifier', 'error'],

  RECORD_DUPLICATE: ['reference', 'error'],
  REFERENCE_UNKNOWN: ['reference', 'error'],
  TOKEN_UNKNOWN: ['reference', 'error'],
  PATTERN_MALFORMED: ['reference', 'error'],
  PATTERN_UNMATCHED: ['reference', 'error'],
  PATTERNS_TOO_MANY: ['reference', 'error'],
  EDGES_TOO_MANY: ['reference', 'error'],
  CYCLE: ['reference', 'error'],
  CYCLE_IMPLICIT: ['reference', 'error'],
  SCHEDULER_NODES: ['reference', 'error'],
  SLURM_DEFAULT_EXCLUDED: ['reference', 'error'],
  HANDLER_REFUSED: ['reference', 'error'],

  HANDLER_UNKNOWN: ['creation', 'error'],
  ACTION_INCOMPLETE: ['creation', 'error'],
  EXECUTION_REFUSED: ['creation', 'error'],
  PRIORITY_NEGATIVE: ['creation', 'error'],
  TIMEOUT_REFUSED: ['creation', 'error'],
  LIMIT_REFUSED: ['creation', 'error'],
  REQUIREMENT_REFUSED: ['creation', 'error'],
  COMMAND_TOO_LONG: ['creation', 'error'],

  RESOURCES_SHORT: ['resources', 'warning'],

  PATTERN_REDUNDANT: ['advice', 'warning'],
  HANDLER_DUPLICATE: ['advice', 'warning'],
  SETTING_USELESS: ['advice', 'warning'],
  RAISE_LIMITED: ['advice', 'warning'],
  SLURM_DEFAULT_SKIPPED: ['advice', 'warning'],
  TOKEN_EMPTY: ['advice', 'warning'],
  UNIT_DOUBTFUL: ['advice', 'warning'],
  FILE_WRITTEN_TWICE: ['advice', 'warning'],
  SAME_FILE_CIRCLE: ['advice', 'warning'],
  INPUT_MISSING: ['advice', 'warning'],
  TEMPORARY_KEPT: ['advice', 'warning'],
  TEMPORARY_UNREAD: ['advice', 'warning'],
  PATH_UNQUOTED: ['advice', 'warning'],
  PLACEHOLDER_LEFT: ['advice', 'warning'],
  TEXT_EMPTY: ['advice', 'warning'],
  NUMBER_REWRITTEN: ['advice', 'warning'],
  ENV_NOT_EXPANDED: ['advice', 'warning'],
} as const satisfies Record<string, readonly [Stage, ProblemSeverity]>;

export type ProblemCode = keyof typeof problemKinds;

/**
 * What `--strict` turns into an error: parts of the file that a reader ignored, and records without data in a command.
 * When the job runs, the shell would replace `${user_data.input.x}` by an error, or by an empty word.
 */
export const isStrictError = (code: ProblemCode): boolean => problemKinds[code][0] === 'read' || code === 'TOKEN_EMPTY';

/** One problem, before its place in the file is known. */
export interface Complaint {
  readonly code: ProblemCode;
  /** Torc's sentence for it, without the prefix of its stage. */
  readonly message: string;
  /** The same for a person: what was found, what was expected, what to write. Shown in place of `message`. */
  readonly plain?: string;
  readonly path?: ValuePath;
  /** Whether the name of the field is wrong, rather than its value. */
  readonly atKey?: boolean;
  /** Position in the text, if the reader of a format knows it. */
  readonly offset?: number;
  /** The wrong part of the value's text, if it is not the whole value. */
  readonly part?: TextPart;
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly suggestion?: string;
  /** Further lines that Torc's dry run prints for the same error, one for each further instance. */
  readonly echoes?: Sequence<string>;
  /** The number of similar lines that are left out. */
  readonly more?: number;
  /** The sentence that Torc prints at creation, if it differs from the dry run's. */
  readonly creation?: string;
}

/** One problem in a workflow file, with its place. */
export interface Problem extends Pick<Complaint, 'code' | 'found' | 'allowed' | 'suggestion' | 'creation'> {
  readonly severity: ProblemSeverity;
  readonly stage: Stage;
  readonly message: string;
  /** The same for a person, where the sentence of Torc says too little. */
  readonly plain?: string;
  readonly file: string;
  /** Counted from 1, as editors do. */
  readonly line?: number;
  readonly column?: number;
  /** `jobs[3].depends_on[0]`; empty for the file as a whole. */
  readonly path: string;
  readonly echoes?: readonly string[];
  /** Set on the last of too many similar ones: the number of the others. */
  readonly more?: number;
}

export type Complain = (complaint: Complaint) => void;

/** A path in the usual notation: `jobs[3].depends_on[0]`. */
export const pathText = (path: ValuePath): string =>
  path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./, '');

/** The problem as one line: place, field, sentence, and suggestion. */
export const formatProblem = (problem: Problem): string => lineOf(problem, '');

/** The same, for a list of errors and warnings: a warning is marked. */
export const formatAmongOthers = (problem: Problem): string =>
  lineOf(problem, problem.severity === 'warning' ? 'warning: ' : '');

function lineOf(problem: Problem, weight: string): string {
  const { file, line, column, path } = problem;
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return `${place}: ${weight}${path === '' ? '' : `${path}: `}${problemSentence(problem)}`;
}

/** What is wrong, and what was probably meant, without the place. */
export function problemSentence({ message, plain, suggestion }: Problem): string {
  // A sentence that lists thirty fields hides the one that was meant.
  const shown =
    plain ??
    (suggestion === undefined
      ? message
      : message.replace(/(unknown \w+ `[^`]*`(?: is ignored)?), expected .*$/s, '$1'));
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
  return withShortWords(`${shown}${hint}`);
}

const DRY_RUN_PREFIX: Readonly<Record<Stage, string>> = {
  read: 'Failed to parse specification file: ',
  expand: 'Parameter expansion failed: ',
  validate: 'Validation error: ',
  action: 'Action validation failed: ',
  env: 'Environment validation failed: ',
  identifier: 'File identifier validation failed: ',
  reference: '',
  creation: '',
  resources: '',
  advice: '',
};

const CREATION_PREFIX: Readonly<Record<Stage, string>> = {
  read: 'Error reading spec: ',
  expand: 'Error expanding parameters: ',
  validate: 'Validation error: ',
  action: 'Error creating workflow from spec: ',
  env: 'Validation error: ',
  identifier: 'Validation error: ',
  reference: 'Error creating workflow from spec: ',
  creation: 'Error creating workflow from spec: ',
  resources: '',
  advice: '',
};

/** The lines that Torc's dry run prints for a problem. */
export const dryRunLines = (problem: Problem): string[] => [
  `${DRY_RUN_PREFIX[problem.stage]}${problem.message}${placeWords(problem)}`,
  ...(problem.echoes ?? []),
];

/** The line that Torc prints for a problem when it creates a workflow. */
export const creationLine = (problem: Problem): string =>
  `${creationPrefix(problem)}${problem.creation ?? problem.message}${placeWords(problem)}`;

/** The beginning of that line. */
export const creationPrefix = ({ stage }: Problem): string => CREATION_PREFIX[stage];

/** Parsers give the position of a syntax error in their sentence; Torc's other sentences have none. */
const placeWords = ({ code, line, column }: Problem): string =>
  code === 'SYNTAX' && line !== undefined ? ` at line ${line} column ${column}` : '';
