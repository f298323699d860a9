import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { MOST_CHARACTERS } from '../bounded.ts';
import type { Backend } from '../tool.ts';
import { examplesIn, readExample, readTopic, topicsIn } from './read.ts';

type Folders = Pick<Backend, 'docsDir' | 'examplesDir'>;

/** The pages and examples as resources: `torc://docs/{topic}` and `torc://examples/{name}`. */
export function addPages(server: McpServer, { docsDir, examplesDir }: Folders): void {
  server.registerResource(
    'docs',
    new ResourceTemplate('torc://docs/{topic}', {
      list: () => ({
        resources: [...topicsIn(docsDir).keys()].map((topic) => ({
          uri: `torc://docs/${topic}`,
          name: topic,
          mimeType: 'text/markdown',
        })),
      }),
    }),
    { description: 'The pages of the documentation, by topic', mimeType: 'text/markdown' },
    (uri, { topic }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'text/markdown',
          text: beginning(readTopic(docsDir, String(topic)).text, 'get_docs'),
        },
      ],
    }),
  );
  server.registerResource(
    'examples',
    new ResourceTemplate('torc://examples/{name}', {
      list: () => ({
        resources: examplesIn(examplesDir).map(({ name, description }) => ({
          uri: `torc://examples/${name}`,
          name,
          description,
          mimeType: 'text/plain',
        })),
      }),
    }),
    { description: 'Workflow files that run as they are', mimeType: 'text/plain' },
    (uri, { name }) => ({
      contents: [
        { uri: uri.href, mimeType: 'text/plain', text: readExample(examplesDir, String(name), undefined).text },
      ],
    }),
  );
}

/** The beginning of a long page, and how to read on. */
function beginning(text: string, tool: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const shown = text.slice(0, text.lastIndexOf('\n', MOST_CHARACTERS - 200) + 1);
  const lines = shown.split('\n').length - 1;
  return `${shown}\n[The page is cut here, after line ${lines} of ${text.split('\n').length}: read on with ${tool} and from_line ${lines + 1}.]\n`;
}
