import { hostname } from 'node:os';
import { HABANA_QUERY, parseHabanaCards } from './habana-text.ts';
import { problemsOf, readsWith } from './program.ts';

/** Reads Habana cards (Gaudi) with `hl-smi`. */
export const createHabanaReader = readsWith('hl-smi', (run) => async () => {
  const asked = await run('-Q', HABANA_QUERY.join(','), '-f', 'csv,noheader,nounits');
  return { ...parseHabanaCards(asked.stdout, hostname()), uses: [], problems: problemsOf('hl-smi', asked) };
});
