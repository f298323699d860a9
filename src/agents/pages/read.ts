import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Refusal } from '../../core/contract/refusals.ts';
import { suggest } from '../../core/workflow-file/problems/suggest.ts';

/** Topics of Torc's own server of tools, and the page of ours that answers each. Every page is a topic by its own name as well. */
export const TOPICS: Readonly<Record<string, string>> = {
  actions: 'how-to/do-something-between-jobs.md',
  'ai-recovery': 'how-to/work-with-agents.md',
  'allocation-strategies': 'how-to/submit-to-slurm.md',
  architecture: 'explanation/how-it-is-built.md',
  checkpointing: 'how-to/stop-and-resume.md',
  cli: 'reference/cli.md',
  'cli-cheatsheet': 'reference/cli.md',
  dependencies: 'how-to/run-a-file-pipeline.md',
  'failure-handlers': 'how-to/retry-jobs-that-fail.md',
  'hpc-profiles': 'how-to/submit-to-slurm.md',
  'hpc-profiles-reference': 'reference/configuration.md',
  'job-runners': 'explanation/how-it-is-built.md',
  'job-states': 'reference/glossary.md',
  parallelization: 'how-to/run-a-list-of-commands.md',
  parameterization: 'how-to/sweep-parameters.md',
  'quick-start': 'tutorials/first-workflow.md',
  'quick-start-hpc': 'how-to/submit-to-slurm.md',
  'quick-start-local': 'tutorials/first-workflow.md',
  recovery: 'how-to/recover-a-workflow.md',
  'resource-monitoring': 'how-to/measure-jobs.md',
  slurm: 'how-to/submit-to-slurm.md',
  tutorials: 'tutorials/first-workflow.md',
  'workflow-definition': 'reference/workflow-files.md',
  'workflow-formats': 'reference/workflow-files.md',
  'workflow-spec': 'reference/workflow-files.md',
};

const FOLDERS = ['tutorials', 'how-to', 'reference', 'explanation'] as const;

/** The path of each topic below the folder of the pages. */
export function topicsIn(docsDir: string): ReadonlyMap<string, string> {
  const own = FOLDERS.flatMap((folder) =>
    filesIn(join(docsDir, folder), /\.md$/).map((file) => [basename(file, '.md'), `${folder}/${file}`] as const),
  );
  const known = Object.entries(TOPICS).filter(([, path]) => existsSync(join(docsDir, path)));
  return new Map([...own, ...known].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The text of a topic. Throws `FILE_UNREADABLE` with topics of similar names. */
export function readTopic(docsDir: string, topic: string): { readonly path: string; readonly text: string } {
  const topics = topicsIn(docsDir);
  const path = topics.get(topic);
  if (path !== undefined) return { path, text: readFileSync(join(docsDir, path), 'utf8') };
  const names = [...topics.keys()];
  const near = [suggest(topic, names), ...names.filter((name) => name.includes(topic) || topic.includes(name))];
  const similar = [...new Set(near.filter((name) => name !== undefined))];
  throw new Refusal(
    'FILE_UNREADABLE',
    topics.size === 0
      ? `there are no pages in ${docsDir}; name their folder with --docs-dir`
      : `there is no topic "${topic}"${similar.length === 0 ? '' : `; similar: ${similar.join(', ')}`}. All topics: ${names.join(', ')}`,
  );
}

export interface Example {
  readonly name: string;
  /** `yaml`, `json`, `json5` or `kdl`. */
  readonly formats: readonly string[];
  readonly description: string;
}

const EXAMPLE = /^(.+)\.(yaml|json|json5|kdl)$/;

/** The examples: their name, the formats in which each is there, and its description. */
export function examplesIn(examplesDir: string): readonly Example[] {
  const found = new Map<string, string[]>();
  for (const key of filesOf(examplesDir).keys()) {
    const [name = '', format = ''] = key.split('\0');
    found.set(name, [...(found.get(name) ?? []), format]);
  }
  return [...found].map(([name, formats]) => ({
    name,
    formats,
    description: descriptionIn(readExample(examplesDir, name, undefined).text),
  }));
}

/** The text of an example. Throws `FILE_UNREADABLE`, which names those that are there. */
export function readExample(examplesDir: string, name: string, format: string | undefined) {
  const files = filesOf(examplesDir);
  const keys = [...files.keys()].filter((key) => key.startsWith(`${name}\0`));
  const key = format === undefined ? (keys.find((each) => each.endsWith('\0yaml')) ?? keys[0]) : `${name}\0${format}`;
  const path = key === undefined ? undefined : files.get(key);
  if (path !== undefined) return { path, text: readFileSync(join(examplesDir, path), 'utf8') };
  const there = [...files.values()].join(', ');
  throw new Refusal(
    'FILE_UNREADABLE',
    `there is no example "${name}"${format === undefined ? '' : ` as ${format}`}; there are ${there === '' ? `none in ${examplesDir}` : there}`,
  );
}

/** Paths by name and format; those of the folder itself before those of `formats`. */
function filesOf(examplesDir: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const folder of ['', 'formats'])
    for (const file of filesIn(join(examplesDir, folder), EXAMPLE)) {
      const [, name, format] = EXAMPLE.exec(file) as unknown as [string, string, string];
      const key = `${name}\0${format}`;
      if (!found.has(key)) found.set(key, join(folder, file));
    }
  return found;
}

const filesIn = (folder: string, pattern: RegExp): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => pattern.test(name))
        .toSorted()
    : [];

/** The first comment of the file, or its description. */
const descriptionIn = (text: string): string =>
  (/^(?:#|\/\/)\s*(.+)$/m.exec(text)?.[1] ?? /description"?:?\s*["']?([^"'\n]+)/.exec(text)?.[1] ?? '').trim();
