/** Chooses among several batch systems; the configuration sets it (`[client.batch] system`). */
export const BATCH_VARIABLE = 'TORC_BATCH_SYSTEM';
