/**
 * The variable with the credential of a server: only in its own environment, never an argument that others could read.
 */
export const CREDENTIAL_VARIABLE = 'TORC_SERVER_CREDENTIAL';

/** The variable with the receivers of messages of the command that starts a server, as JSON, for the same reason. */
export const NOTIFY_VARIABLE = 'TORC_SERVER_NOTIFY';
