/** Everything of the service stands under this path; a client's URL ends with it. */
export const BASE_PATH = '/torc-service/v1';
