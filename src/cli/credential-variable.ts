/** The variable in which a server finds its credential: of its own process only, never an argument that others could read. */
export const CREDENTIAL_VARIABLE = 'TORC_SERVER_CREDENTIAL';
