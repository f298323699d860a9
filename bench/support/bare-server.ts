/** A server that reads each body and answers the same bytes: the floor of what the runtime's HTTP costs. */
import { createServer } from 'node:http';

const answer = Buffer.from(process.argv[2] ?? '{}');
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (parts.length > 0) JSON.parse(Buffer.concat(parts).toString());
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`TORC_SERVER_PORT=${address.port}`);
});
