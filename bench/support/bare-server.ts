/** What node:http does for an answer of so many bytes and nothing behind it: the ceiling of any server on it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = 'x'.repeat(Number(process.argv[2]));
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`PORT=${(server.address() as AddressInfo).port}`));
