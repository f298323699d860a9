import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { checkedLines } from './lines.ts';
import { readMessageLine } from './message-line.ts';

const refused = (id: string, code: number) =>
  expect.stringMatching(new RegExp(`^\\{"jsonrpc":"2\\.0","id":${id},"error":\\{"code":${code},"message":"`));

it.each([
  ['not json', 'null', -32_700],
  ['{"jsonrpc":"2.0","id":1', 'null', -32_700],
  ['7', 'null', -32_600],
  ['null', 'null', -32_600],
  ['[]', 'null', -32_600],
  ['{"id":4,"method":"ping"}', '4', -32_600],
  ['{"jsonrpc":"1.0","id":"a","method":"ping"}', '"a"', -32_600],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', '9007199254740993', -32_600],
  ['{"jsonrpc":"2.0","method":"a","params":{"id":1},"id":9007199254740993}', '9007199254740993', -32_600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', '1.5', -32_600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 'null', -32_600],
  ['{"jsonrpc":"2.0","id":5}', '5', -32_600],
  ['{"jsonrpc":"2.0","id":5,"method":7}', '5', -32_600],
])('the line %s gets a reply with its id, and is no message', (line, id, code) => {
  expect(readMessageLine(line)).toEqual({ is: 'refused', reply: refused(id, code) });
});

it.each([
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":"1","method":"ping"}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}',
])('the line %s is a message, and goes on as it is', (text) => {
  expect(readMessageLine(text)).toEqual({ is: 'message', text });
});

/** What a client writes, and what is written to it, with a library that answers each request. */
function around() {
  const [fromClient, toClient] = [new PassThrough(), new PassThrough()];
  const { input, output } = checkedLines(fromClient, toClient);
  const asked: string[] = [];
  input.setEncoding('utf8');
  input.on('data', (part: string) => asked.push(...part.trim().split('\n')));
  const lines = () => ((toClient.read() as Buffer | null)?.toString() ?? '').split('\n').filter((line) => line !== '');
  return {
    say: (text: string) => fromClient.write(text),
    asked,
    answer: (text: string) => output.write(`${text}\n`),
    lines,
  };
}

const request = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const result = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
const turn = () => new Promise((done) => setImmediate(done));

it('the replies to a batch are one line, with that to a member that is no message, when the last has come', async () => {
  const { say, asked, answer, lines } = around();
  say(`[${request(1)},{"id":2,"method":"ping"},${request(3)},{"jsonrpc":"2.0","method":"n"}]\n${request(4)}\n`);
  await turn();
  expect(asked).toHaveLength(4);
  answer(result(3));
  answer(result(4));
  expect(lines()).toEqual([result(4)]);
  answer(result(1));
  const [line = ''] = lines();
  expect((JSON.parse(line) as { id: number }[]).map(({ id }) => id)).toEqual([2, 3, 1]);
});

it('the replies to a batch come without that to a member that was canceled, which gets none', async () => {
  const { say, asked, answer, lines } = around();
  say(`[${request(1)},${request(3)}]\n`);
  await turn();
  answer(result(1));
  expect(lines()).toEqual([]);
  const cancel = (id: number) =>
    `{"jsonrpc":"2.0","method":"notifications/cancel${'led'}","params":{"requestId":${id}}}`;
  say(`${cancel(7)}\n`);
  await turn();
  expect(lines()).toEqual([]);
  say(`${cancel(3)}\n`);
  await turn();
  expect(lines()).toEqual([`[${result(1)}]`]);
  expect(asked).toHaveLength(4);
});

it('a batch of notifications gets no reply, and messages in parts are whole', async () => {
  const { say, asked, lines } = around();
  say('[{"jsonrpc":"2.0","method":"a"}]\n{"jsonrpc":"2.0",');
  say('"id":1,"method":"größe"}\n\n');
  await turn();
  expect(asked).toEqual(['{"jsonrpc":"2.0","method":"a"}', '{"jsonrpc":"2.0","id":1,"method":"größe"}']);
  expect(lines()).toEqual([]);
});

it('a line that is too long is refused, and the next is read', async () => {
  const { say, asked, lines } = around();
  say('x'.repeat(17 * 2 ** 20));
  say(`yyy\n${request(1)}\n`);
  await turn();
  expect(lines()).toEqual([refused('null', -32_600)]);
  expect(asked).toEqual([request(1)]);
});
