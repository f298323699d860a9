import { createClient } from '../../client/client.ts';
import type { Explain } from '../../server/view/explanations.ts';
import { refused } from './refused.ts';

/** How a server explains a job to its page, loaded when it is asked for the first time. */
export const explainForPage: Explain = async (ask, id) => {
  const { explanationForPage } = await import('../../operations/explain/for-page.ts');
  return refused(explanationForPage(createClient(ask), id, Date.now()));
};
