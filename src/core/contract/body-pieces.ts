/** Parts of any size that a body may have; each takes some microseconds of the server, also one of a byte. */
const MANY_PARTS = 1_000;
const LEAST_PART_BYTES = 64;

/** What is wrong with a body that arrives in tiny parts; undefined for any other. */
export const piecesFault = (bytes: number, parts: number): string | undefined =>
  parts > MANY_PARTS && bytes < parts * LEAST_PART_BYTES
    ? `the body arrives in pieces: ${bytes} bytes in ${parts} chunks`
    : undefined;
