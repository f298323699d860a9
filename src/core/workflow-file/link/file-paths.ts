import type { Draft } from './draft.ts';
import { templateOf } from '../expand/template.ts';
import { NameIndex } from '../pattern/name-index.ts';
import type { PathKey } from './path-key.ts';
import { UNREAD } from '../shape/check.ts';

type PathFiles = Pick<Draft['files'], 'families' | 'length'>;

/** The paths of the files of a draft: several entries may name one file, in one spelling or in several. */
export class FilePaths {
  readonly keyOf: PathKey;
  private readonly files: PathFiles;
  private readonly templates;
  private known: NameIndex | undefined;
  private groups: number[][] | undefined;

  constructor(files: PathFiles, keyOf: PathKey) {
    this.files = files;
    this.keyOf = keyOf;
    this.templates = files.families.all.map(({ spec, axes }) => templateOf(spec.path, axes));
  }

  /** As it is written. */
  pathAt(file: number): string {
    const { family, combination } = this.files.families.at(file);
    return this.templates[family.at]?.render(combination) ?? '';
  }

  keyAt(file: number): string {
    const path = this.pathAt(file);
    return path === UNREAD ? path : this.keyOf(path);
  }

  /** The first entry of the file that a path names; -1 if there is none. */
  find(path: string): number {
    return path === UNREAD ? -1 : this.index.find(this.keyOf(path));
  }

  /** The entries of each file that has several, in their order. */
  shared(): readonly number[][] {
    return (this.groups ??= this.findShared());
  }

  private findShared(): number[][] {
    const groups = new Map<number, number[]>();
    for (const file of this.index.duplicates.view()) {
      const first = this.index.find(this.keyAt(file));
      const group = groups.get(first);
      if (group === undefined) groups.set(first, [first, file]);
      else group.push(file);
    }
    return [...groups.values()];
  }

  private get index(): NameIndex {
    return (this.known ??= new NameIndex(this.files.length, (file) => this.keyAt(file)));
  }
}
