import type { Draft } from './draft.ts';
import type { PathKey } from './path-key.ts';

/** A job is named as the entry of the file that makes many: `train` where there are `train_1`, `train_2`. */
export function jobAdvice(name: string, { jobs }: Draft): string | undefined {
  const family = jobs.families.all.find(({ spec, axes, count }) => {
    const [head = ''] = spec.name.split('{');
    return (
      axes !== undefined && count > 0 && (spec.name === name || (head !== '' && head.replace(/[_.-]+$/, '') === name))
    );
  });
  if (family === undefined) return undefined;
  const [head = ''] = family.spec.name.split('{');
  const pattern = `^${head.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
  return (
    `the entry '${family.spec.name}' makes ${family.count} ${family.count === 1 ? 'job' : 'jobs'}, such as ` +
    `'${family.name.render(0)}'; to depend on all of them write depends_on_regexes: ['${pattern}']`
  );
}

/** A file is named by its path, as in other tools. */
export function fileAdvice(name: string, { files }: Draft, keyOf: PathKey): string | undefined {
  const key = keyOf(name);
  const byPath = files.families.all.find(({ spec }) => keyOf(spec.path) === key);
  if (byPath !== undefined) return `this is a path; write the name of the file, '${byPath.spec.name}'`;
  return /[/.]/.test(name)
    ? `name an entry of \`files\`, not a path; add the entry { name: NAME, path: '${name}' } and write NAME here`
    : undefined;
}
