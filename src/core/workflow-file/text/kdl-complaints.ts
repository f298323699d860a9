import { getLocation, type Entry, type Node } from '@bgotink/kdl';
import type { Complain } from '../problems/problems.ts';
import { suggest } from '../problems/suggest.ts';
import type { Level } from './kdl-dialect.ts';
import type { TextPlace } from '../../json/place.ts';
import { describe, numberOf, type Value } from './value.ts';

/** A value with its place. */
export interface PlacedValue<V = Value> {
  readonly value: V;
  readonly place: TextPlace;
}

/** The value of an argument or property, each number as it was written. */
export function foundIn(entry: Entry): PlacedValue {
  const { value, representation } = entry.value;
  const { start, end } = getLocation(entry) ?? {};
  const place: TextPlace = { at: start?.offset ?? 0, end: end?.offset ?? 0 };
  if (typeof value !== 'number') return { value, place };
  const literal = (representation ?? String(value)).replaceAll('_', '').replace(/^\+/, '');
  return { value: numberOf(literal, value, !/^-?0[xob]/.test(literal) && /[.eE]/.test(literal)), place };
}

/** The position of a node's name. */
export const startOfNode = (node: Node): number =>
  getLocation(node.name)?.start.offset ?? getLocation(node)?.start.offset ?? 0;

/** The messages of the KDL reader about what it refuses and what it ignores; Torc ignores the latter silently. */
export class KdlComplaints {
  private readonly complain: Complain;

  constructor(complain: Complain) {
    this.complain = complain;
  }

  protected refuse(message: string, offset: number): void {
    this.complain({ code: 'KDL_MALFORMED', message, offset });
  }

  protected ignoreNode(node: Node, level: Level): void {
    const meant = suggest(node.name.name, Object.keys(level.nodes));
    this.complain({
      code: 'KDL_NODE_IGNORED',
      message: `node \`${node.name.name}\` is not read in KDL ${level.called} and was ignored`,
      offset: startOfNode(node),
      found: node.name.name,
      allowed: Object.keys(level.nodes),
      ...(meant === undefined ? {} : { suggestion: meant }),
    });
  }

  protected reportRenamed(node: Node, field: string): void {
    const message = `node \`${node.name.name}\` is read as \`${field}\`; Torc ignores it`;
    this.complain({ code: 'KDL_NODE_RENAMED', message, offset: startOfNode(node), suggestion: field });
  }

  protected ignoreEntry(node: Node, entry: Entry): void {
    const { value, place } = foundIn(entry);
    const what = entry.name === null ? 'further argument' : `property \`${entry.name.name}\``;
    const message = `${what} ${describe(value)} of node \`${node.name.name}\` is not read and was ignored`;
    this.complain({ code: 'KDL_VALUE_IGNORED', message, offset: place.at, found: describe(value) });
  }

  protected ignoreChildren(node: Node): void {
    for (const child of node.children?.nodes ?? []) {
      const message = `node \`${child.name.name}\` within \`${node.name.name}\` is not read and was ignored`;
      this.complain({ code: 'KDL_NODE_IGNORED', message, offset: startOfNode(child), found: child.name.name });
    }
  }

  protected ignoreValue(node: Node, found: PlacedValue | undefined, wanted: string): void {
    const what = found === undefined ? 'no argument' : describe(found.value);
    this.complain({
      code: 'KDL_VALUE_IGNORED',
      message: `node \`${node.name.name}\` takes ${wanted}, not ${what}, and was ignored`,
      offset: found?.place.at ?? startOfNode(node),
      found: what,
      allowed: [wanted],
    });
  }
}
