import * as z from 'zod';
import { tool } from '../tool.ts';
import { parameters, workflowIdParameter } from './parameters.ts';

const [USUAL_FILES, MOST_FILES] = [50, 1000];

export const listFilesTool = tool('list_files', {
  says: 'Files of a workflow by id: path, when changed, size where a job has read it, and the jobs that write and read it: how many, and the first three of them. Use it to find who makes a missing file, or what reads one.',
  effect: 'reads',
  input: parameters({
    workflow_id: workflowIdParameter,
    path: z.string().min(1).optional().describe('any part of the path'),
    only_outputs: z.boolean().default(false),
    after_id: z.int().positive().optional().describe('only later ones: the id of the last one of the reply before'),
    limit: z.int().positive().max(MOST_FILES).default(USUAL_FILES),
  }),
  more: 'ask with a smaller limit, a part of the path, or after_id',
  async run({ workflow_id: id, path, only_outputs: isOutput, after_id: after, limit }, { client }) {
    const { items, has_more: hasMore } = await (
      await client()
    ).listFiles({
      query: { workflow_id: id, path, is_output: isOutput || undefined, after_id: after, limit, include_uses: true },
    });
    return {
      files: items.map(({ id: fileId, name, path: where, st_mtime: seconds, size_bytes, made_by, read_by }) => ({
        id: fileId,
        name,
        path: where,
        changed: typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : undefined,
        size_bytes,
        made_by,
        read_by,
      })),
      has_more: hasMore,
    };
  },
});
