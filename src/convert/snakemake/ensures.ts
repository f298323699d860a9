const CALL = /\bensure\(/g;
const NOT_EMPTY = /\bensure\(\s*(["'])([^"'\n]+)\1\s*,\s*non_empty\s*=\s*True\s*,?\s*\)/g;

/**
 * The outputs that must not be empty, by `ensure("PATH", non_empty=True)` in the text of a rule. Undefined if one of its calls is another
 * one: a checksum, a function, a path that a program makes.
 */
export function notEmpty(text: string, outputs: readonly string[]): readonly string[] | undefined {
  const lines = text.replaceAll(/^\s*#.*$/gm, '');
  const patterns = [...lines.matchAll(NOT_EMPTY)].map(([, , path = '']) => path);
  if (patterns.length !== (lines.match(CALL)?.length ?? 0)) return undefined;
  const found = patterns.map((pattern) => outputs.filter((path) => shapeOf(pattern).test(path)));
  if (found.some((paths) => paths.length === 0)) return undefined;
  return outputs.filter((path) => found.some((paths) => paths.includes(path)));
}

/** Wildcards such as `{sample}` or `{sample,\d+}` stand for any text. */
const shapeOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split(/\{[^{}]*\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.+')}$`,
  );
