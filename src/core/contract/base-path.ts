/** The path prefix of all routes; the URL of a client ends with it. */
export const BASE_PATH = '/torc-service/v1';
