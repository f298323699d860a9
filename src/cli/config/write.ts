import { notifyFields } from './notify-kind.ts';
import { keyAt, partsOf, type Path, paths } from './schema.ts';

interface Row {
  readonly path: Path;
  readonly name: string;
}

/** The keys by section, in the order of the schema. */
export function sections(of: readonly Path[] = paths): ReadonlyMap<string, readonly Row[]> {
  const found = new Map<string, Row[]>();
  for (const path of of) {
    const parts = partsOf(path);
    // A key that is a section of its own, with tables in it: see `notifyFields`.
    if (parts.length === 1) continue;
    const section = parts.slice(0, -1).join('.');
    const rows = found.get(section) ?? [];
    rows.push({ path, name: parts.at(-1) as string });
    found.set(section, rows);
  }
  return found;
}

/** A file with every key and its default, commented out. */
export function template(): string {
  const blocks = [...sections()].map(([section, rows]) => {
    const lines = rows.map(({ path, name }) => {
      const { default: initial, says } = keyAt(path);
      return `# ${says}\n#${name} =${initial === undefined ? '' : ` ${literal(initial)}`}`;
    });
    return `[${section}]\n${lines.join('\n')}`;
  });
  const receiver = Object.entries(notifyFields).map(([name, { says }]) => `# ${says}\n#${name} =`);
  return `# Configuration of torc. Commented lines are defaults; remove the # to set them.\n\n${blocks.join('\n\n')}\n\n# A receiver of messages, by a name of yours.\n#[notify.NAME]\n${receiver.join('\n')}\n`;
}

/** A string, number, boolean or list of names as TOML. */
export const literal = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(literal).join(', ')}]` : JSON.stringify(value);
