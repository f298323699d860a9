import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { programFolder } from './packed.ts';

const program = join(programFolder(), 'torc-mcp-server.mjs');

export interface Answer {
  readonly isError: boolean;
  /** The text of the reply, and its JSON. */
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** The official client, connected to a `torc-mcp-server` of its own. */
export async function connectAgent(cwd: string, args: readonly string[], environment: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, USER: 'tester', ...environment };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, ...args], cwd, env, stderr: 'pipe' }),
  );
  onTestFinished(() => client.close());
  return callsOf(client);
}

/** A connected client, and calls of its tools. */
export function callsOf(client: Client) {
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Answer> => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const [part] = content;
    const text = part?.type === 'text' ? part.text : '';
    return { isError: isError === true, text, json: text.startsWith('{') ? (JSON.parse(text) as Answer['json']) : {} };
  };
  return { client, call };
}
