export const DAY_SECONDS = 86_400;
export const HOUR_SECONDS = 3600;

/** The begin of the hour of a time, in DuckDB. */
export const hourBegin = (time: string): string => `(${time} // ${HOUR_SECONDS} * ${HOUR_SECONDS})`;

/** Days since 1970, in UTC. */
export const dayOf = (time: number): number => Math.floor(time / DAY_SECONDS);

/** `2026-03-01`. */
export const dayText = (day: number): string => new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);

/** Of the hash of an archived envelope: two of a day agree in them by chance once in 10^26 days. */
export const HASH_BYTES = 16;

export const archivedHash = (hash: Uint8Array): Uint8Array => hash.subarray(0, HASH_BYTES);
