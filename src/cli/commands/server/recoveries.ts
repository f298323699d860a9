import { createClient } from '../../../client/client.ts';
import type { Recoveries } from '../../../server/recover/for-page.ts';
import { ServiceError } from '../../../client/errors.ts';
import { Refusal, type RefusalCode, refusals } from '../../../core/contract/refusals.ts';

const load = () => import('../../../operations/recover/by-server.ts');

/** What a server does about failures for its page, loaded when it is asked for the first time. */
export const recoveries: Recoveries = {
  plan: async (ask, id, policy) => refused((await load()).planForPage(createClient(ask), id, policy)),
  recover: async (ask, id, request) => refused((await load()).recoverForPage(createClient(ask), id, request)),
};

/** A refusal of a route that a use case of the server asked is a refusal of the use case. */
async function refused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500 || !isCode(error.code)) throw error;
    throw new Refusal(error.code, error.message, {}, { cause: error });
  }
}

const isCode = (code: string | undefined): code is RefusalCode => code !== undefined && code in refusals;
