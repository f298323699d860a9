/**
 * Long texts on their way to a client, packed: a list of jobs becomes 3 % of its size, so that a server can keep the whole
 * reply to a client that reads slowly. To pack 38 MB takes 40 ms, to unpack it as long.
 */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of its text. */
  readonly length: number;
  readonly isPacked: boolean;
}

/** Characters of a part: large enough for one write to a socket, small enough to be written in a millisecond. */
export const PART_LENGTH = 64 * 1024;
/** The beginning of a text stays as it is, at least so much: most replies have no more, and it is sent at once. */
export const PLAIN_BYTES = 256 * 1024;
/** UTF-8 has at most three bytes for a unit of UTF-16. */
const MOST_PART_BYTES = 3 * (PART_LENGTH + 1);

/** Loaded with the first long text: 3 ms that no start waits for. */
function loaded() {
  const { constants, zstdCompressSync, zstdDecompressSync } = process.getBuiltinModule('node:zlib');
  const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
  return {
    pack: (bytes: Uint8Array) => zstdCompressSync(bytes, fast),
    // A buffer that is full would be followed by a second one.
    unpack: (bytes: Uint8Array, length: number) => zstdDecompressSync(bytes, { chunkSize: length + 64 }),
  };
}
let zlib: ReturnType<typeof loaded> | undefined;

/** Makes parts of one text, packed beyond so many bytes; each piece of it has at most `PART_LENGTH` characters, and one for a pair. */
export function createPacker(plainBytes = PLAIN_BYTES): (piece: string) => Part {
  const encoder = new TextEncoder();
  let encodedBytes = 0;
  let scratch: Uint8Array<ArrayBuffer> | undefined;
  return (piece) => {
    if (encodedBytes < plainBytes) {
      const bytes = encoder.encode(piece);
      encodedBytes += bytes.length;
      return { bytes, length: bytes.length, isPacked: false };
    }
    // In the same memory each time: otherwise as much garbage as text.
    scratch ??= new Uint8Array(MOST_PART_BYTES);
    const { written: length } = encoder.encodeInto(piece, scratch);
    const packed = (zlib ??= loaded()).pack(scratch.subarray(0, length));
    const isPacked = packed.length < length;
    // A copy: what the library returns is the beginning of a larger buffer.
    return { bytes: new Uint8Array(isPacked ? packed : scratch.subarray(0, length)), length, isPacked };
  };
}

/** The text of a part in UTF-8. */
export const unpacked = ({ bytes, length, isPacked }: Part): Uint8Array =>
  isPacked ? (zlib ??= loaded()).unpack(bytes, length) : bytes;

/** A text in pieces for a packer; no character is divided. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = from + PART_LENGTH;
    const isInPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const to = isInPair ? end + 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}
