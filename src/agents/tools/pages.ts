import * as z from 'zod';
import { examplesIn, readExample, readTopic } from '../pages/read.ts';
import { tool } from '../tool.ts';
import { parameters } from './parameters.ts';

/** Lines of a page in one reply: about half of the largest reply. */
const LINES = 300;

export const listExamples = tool('list_examples', {
  says: 'List the example workflow files that come with torc: name, formats, description.',
  effect: 'reads',
  input: parameters({}),
  more: 'get_example shows one',
  run: async (_, { examplesDir }) => ({ examples: examplesIn(examplesDir) }),
});

export const getExample = tool('get_example', {
  says: 'Read an example workflow file by its name.',
  effect: 'reads',
  input: parameters({
    name: z.string().describe('a name of list_examples'),
    format: z.enum(['yaml', 'json', 'json5', 'kdl']).optional(),
  }),
  more: 'the file stands in the examples of the package',
  run: async ({ name, format }, { examplesDir }) => ({ name, ...readExample(examplesDir, name, format) }),
});

export const getDocs = tool('get_docs', {
  says: 'Read a page of the documentation by its topic, such as workflow-spec, slurm, recovery or cli. An unknown topic gets the list of all.',
  effect: 'reads',
  input: parameters({
    topic: z.string(),
    from_line: z.int().positive().default(1).describe('first line of a long page'),
  }),
  more: 'from_line reads on',
  async run({ topic, from_line: from }, { docsDir }) {
    const { path, text } = readTopic(docsDir, topic);
    const lines = text.split('\n');
    const shown = lines.slice(from - 1, from - 1 + LINES);
    const last = from - 1 + shown.length;
    const rest =
      last < lines.length ? { cut: `lines ${last + 1} to ${lines.length} follow: from_line ${last + 1}` } : {};
    return { topic, path, from_line: from, of_lines: lines.length, text: shown.join('\n'), ...rest };
  },
});
