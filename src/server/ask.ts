/** Sends a request to this server in the name of a caller. */
export type Ask = (request: {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}) => Promise<{
  readonly status: number;
  readonly text: string;
}>;
