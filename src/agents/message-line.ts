/** A line of standard input, as JSON-RPC 2.0 wants it. */
export type MessageLine =
  /** One message for the tools. */
  | { readonly is: 'message'; readonly text: string; readonly cancels?: string }
  /** Several in one line, as protocol 2025-03-26 allows: their replies go in one line. */
  | {
      readonly is: 'batch';
      readonly texts: readonly string[];
      readonly ids: readonly string[];
      readonly refusals: readonly string[];
    }
  /** No message: the reply to it. */
  | { readonly is: 'refused'; readonly reply: string };

/** What a line is. Ids are as they were written: one above 2^53 is no number here. */
export function readMessageLine(line: string): MessageLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { is: 'refused', reply: faultReply('null', -32_700, `this line is no JSON: ${(error as Error).message}`) };
  }
  if (!Array.isArray(value)) {
    const reply = faultOf(value, line);
    if (reply !== undefined) return { is: 'refused', reply };
    const cancels = canceledBy(value as Member);
    return { is: 'message', text: line, ...(cancels === undefined ? {} : { cancels }) };
  }
  if (value.length === 0) return { is: 'refused', reply: faultReply('null', -32_600, 'a batch without a message') };
  const texts = value.map((each) => JSON.stringify(each));
  const faults = value.map((each, at) => faultOf(each, texts[at] as string));
  const good = value.filter((_, at) => faults[at] === undefined) as Member[];
  return {
    is: 'batch',
    texts: texts.filter((_, at) => faults[at] === undefined),
    ids: good.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [JSON.stringify(id)])),
    refusals: faults.filter((each) => each !== undefined),
  };
}

interface Member {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** The id of the request that a message cancels: it gets no reply. */
const canceledBy = ({ method, params }: Member): string | undefined =>
  String(method).startsWith('notifications/cancel')
    ? JSON.stringify((params as { requestId?: unknown } | undefined)?.requestId)
    : undefined;

/** The reply to what is no message of the protocol, with its id where it has one. */
function faultOf(value: unknown, text: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return faultReply('null', -32_600, 'expected an object with jsonrpc, method and id');
  const { jsonrpc, id, method } = value as Member;
  const refused = (expected: string) =>
    faultReply(
      typeof id === 'string' || typeof id === 'number' ? writtenId(text, id) : 'null',
      -32_600,
      `expected ${expected}`,
    );
  if (jsonrpc !== '2.0') return refused('"jsonrpc": "2.0"');
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    return refused('an id that is a string or a whole number up to 2^53 - 1');
  if (method === undefined && ('result' in value || 'error' in value)) return undefined;
  return typeof method === 'string' ? undefined : refused('a method, which is a string');
}

/** The id as it stands in the text: a number that the runtime rounds would answer another request. */
function writtenId(text: string, id: string | number): string {
  let written = JSON.stringify(id);
  JSON.parse(text, function (this: unknown, name: string, value: unknown, { source }: { source?: string }) {
    // The members of the message itself come last.
    if (name === 'id' && typeof value === 'number' && source !== undefined) written = source;
    return value;
  } as (this: unknown, name: string, value: unknown) => unknown);
  return written;
}

export const faultReply = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
