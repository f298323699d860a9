import type { ValueMap } from '../core/workflow-file/text/value.ts';
import { uniqueNames } from './unique-names.ts';

/** Entries of `files`, made when a path is first named. */
export function fileEntries(): { readonly entries: ValueMap[]; readonly nameOf: (path: string) => string } {
  const unique = uniqueNames();
  const names = new Map<string, string>();
  const entries: ValueMap[] = [];
  return {
    entries,
    nameOf(path) {
      const known = names.get(path);
      if (known !== undefined) return known;
      const name = unique(path);
      names.set(path, name);
      entries.push({ name, path });
      return name;
    },
  };
}
