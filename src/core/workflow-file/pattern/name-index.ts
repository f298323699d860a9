import { IntList } from '../../lists/int-list.ts';
import { UNREAD } from '../shape/check.ts';

const NONE = -1;

/**
 * Finds a record by its name among millions that are never stored together.
 *
 * An open hash table in typed arrays, about 16 bytes a name; a hit is verified by generating the name again, so it is
 * exact. A `Map` of a million texts takes 100 MB.
 */
export class NameIndex {
  /** Records whose name an earlier record has. */
  readonly duplicates = new IntList();
  private readonly slots: Int32Array;
  private readonly hashes: Int32Array;
  private readonly mask: number;
  private readonly nameAt: (index: number) => string;

  constructor(count: number, nameAt: (index: number) => string) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(2, count) * 1.5));
    this.nameAt = nameAt;
    this.mask = size - 1;
    this.slots = new Int32Array(size).fill(NONE);
    this.hashes = new Int32Array(size);
    for (let index = 0; index < count; index += 1) this.put(index);
  }

  /** The first record of that name; -1 if there is none. */
  find(name: string): number {
    return this.slots[this.slotOf(name, hashOf(name))] ?? NONE;
  }

  private put(index: number): void {
    const name = this.nameAt(index);
    if (name === UNREAD) return;
    const hash = hashOf(name);
    const slot = this.slotOf(name, hash);
    if (this.slots[slot] !== NONE) {
      this.duplicates.push(index);
      return;
    }
    this.slots[slot] = index;
    this.hashes[slot] = hash;
  }

  /** The slot of the name, or the free slot for it. */
  private slotOf(name: string, hash: number): number {
    for (let slot = hash & this.mask; ; slot = (slot + 1) & this.mask) {
      const index = this.slots[slot] ?? NONE;
      if (index === NONE || (this.hashes[slot] === hash && this.nameAt(index) === name)) return slot;
    }
  }
}

/** FNV-1a over the code units, its bits mixed once more: names differ in their last digits only. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
