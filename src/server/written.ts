/** A reply that is already text, in parts. */
export class Written {
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  constructor(parts: readonly Uint8Array<ArrayBuffer>[]) {
    this.parts = parts;
  }
}
