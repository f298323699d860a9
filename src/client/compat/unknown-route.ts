import { ServiceError } from '../errors.ts';

/** The server does not have this route: Torc's own server answers an unknown route without a code. */
export const isUnknownRoute = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === undefined && (error.status === 404 || error.status === 405);

/** The reply to a request of an added route; where the server does not have the route, what replaces it. */
export async function withSubstitute<Made, Other = Made>(
  reply: Promise<Made>,
  substitute: () => Promise<Other>,
): Promise<Made | Other> {
  try {
    return await reply;
  } catch (error) {
    if (!isUnknownRoute(error)) throw error;
  }
  return substitute();
}
