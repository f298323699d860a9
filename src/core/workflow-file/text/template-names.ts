/** A place in a text that uses a variable or a parameter. */
export interface TemplateName {
  /** `{name}` or `{name:format}`. */
  readonly token: string;
  readonly name: string;
  /** Its position in the text. */
  readonly at: number;
}

const NAMED = /^\{([A-Za-z_][A-Za-z0-9_]*)(?::[^{}]*)?\}$/;
const DOUBLED = /\{\{[^{}]*\}\}/y;

/**
 * The names in braces that a text uses, as Torc finds them.
 *
 * From a brace the text is read to the next closing one: the text between is a name, perhaps with a format, or is
 * skipped as a whole, so `{x{v}` and `{"a": {v}` use no name. `${` belongs to the shell, but its content is searched:
 * `${files.input.{v}}`. `{{v}}` stays; in `{{v}` the second brace opens a name.
 */
export function* templateNames(text: string): Generator<TemplateName> {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    DOUBLED.lastIndex = at;
    if (text[at - 1] === '$') at += 1;
    else if (text[at + 1] === '{') at += DOUBLED.exec(text)?.[0].length ?? 1;
    else {
      const close = text.indexOf('}', at);
      if (close < 0) return;
      const token = text.slice(at, close + 1);
      const name = NAMED.exec(token)?.[1];
      if (name !== undefined) yield { token, name, at };
      at = close + 1;
    }
  }
}
