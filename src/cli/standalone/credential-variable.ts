/**
 * The variable with the credential of a server: only in its own environment, never an argument that others could read.
 */
export const CREDENTIAL_VARIABLE = 'TORC_SERVER_CREDENTIAL';
