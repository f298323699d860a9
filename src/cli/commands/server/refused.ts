import { ServiceError } from '../../../client/errors.ts';
import { Refusal, type RefusalCode, refusals } from '../../../core/contract/refusals.ts';

/** A refusal of a route that a use case of the server asked is a refusal of the use case. */
export async function refused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500 || !isCode(error.code)) throw error;
    throw new Refusal(error.code, error.message, {}, { cause: error });
  }
}

const isCode = (code: string | undefined): code is RefusalCode => code !== undefined && code in refusals;
