/**
 * Commands as they may be shown to others: what looks like a secret is `***`.
 *
 * It is found by the name that stands before it, by its form where services give their keys one, and by its value where a variable
 * of the job has it under such a name. What a program calls `-k` or reads from a file cannot be known.
 */

const MASK = '***';

/** Names of variables and options whose values are secrets. */
const NAME = String.raw`[\w-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|api[-_]?key|access[-_]?key|private[-_]?key|(?<![a-z])auth)(?:[-_][\w-]*)?`;
const VALUE = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s;|&<>()'"]+)`;

const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // `NAME=value` and `--name=value`; a reference to a variable is no secret.
  [new RegExp(String.raw`(^|[\s;|&("'])(-{0,2}${NAME})=(?!["']?\$)${VALUE}`, 'gi'), `$1$2=${MASK}`],
  [new RegExp(String.raw`(\s-{1,2}${NAME})\s+(?!-|["']?\$)${VALUE}`, 'gi'), `$1 ${MASK}`],
  // A login of curl and wget, and in a URL.
  [
    /(\b(?:curl|wget)\b[^|;&\n]*?\s(?:-u|--user))(\s+|=)(?!["']?\$)(["']?)([^\s:'"]+):[^\s'"]+\3/g,
    `$1$2$3$4:${MASK}$3`,
  ],
  [/(\w+:\/\/[^\s/:@'"]*):(?!\$)[^\s/@'"]+@/g, `$1:${MASK}@`],
  [/\b(Authorization:\s*)(?!\s*(?:Bearer|Basic|Token)?\s*\$)[^'"\n]+/gi, `$1${MASK}`],
  // Keys of GitHub, GitLab, AWS, Hugging Face, Slack and OpenAI, and JSON web tokens.
  [
    /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|A(?:KI|SI)A[0-9A-Z]{16}|hf_\w{20,}|xox[abprs]-[\w-]{10,}|sk-[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,})/g,
    MASK,
  ],
];

const SECRET_NAME = new RegExp(`^${NAME}$`, 'i');
/** Shorter values are words that stand in many places for other reasons. */
const LEAST_LENGTH = 6;

/** Whether a variable or a value with this name is a secret, as far as names say. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** The values of variables whose names say that they are secrets. */
export const secretsIn = (variables: Readonly<Record<string, string>>): string[] =>
  Object.entries(variables).flatMap(([name, value]) =>
    isSecretName(name) && value.length >= LEAST_LENGTH ? [value] : [],
  );

/** A command without its secrets; `known` are values that are some. */
export function withoutSecrets(command: string, known: readonly string[] = []): string {
  let shown = command;
  for (const value of known) shown = shown.replaceAll(value, MASK);
  for (const [pattern, replacement] of rules) shown = shown.replaceAll(pattern, replacement);
  return shown;
}

/** A value of a field in YAML, JSON or KDL, up to the end of what it is in. */
const FIELD = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}#"'][^,{}#\n]*?)(?=\s*(?:[,}#\n]|$))`;
const fields = [
  new RegExp(String.raw`((?:^|[\s{,])["']?(${NAME})["']?\s*:[ \t]+)(?!["']?\$)(${FIELD})`, 'gim'),
  // A value of the workflow: its name is a field as well.
  new RegExp(String.raw`(\bname["']?:\s*["']?(${NAME})["']?\s*,?\s*["']?data["']?:\s*)(${FIELD})`, 'gim'),
];

/** The text of a workflow file without its secrets: those of variables and values, wherever else they stand, and those in commands. */
export function fileWithoutSecrets(text: string): string {
  const known = new Set<string>();
  let shown = text;
  for (const field of fields)
    shown = shown.replaceAll(field, (_, before: string, name: string, value: string) => {
      for (const secret of secretsIn({ [name]: value.replace(/^(["'])(.*)\1$/s, '$2') })) known.add(secret);
      return `${before}${MASK}`;
    });
  return withoutSecrets(shown, [...known]);
}
