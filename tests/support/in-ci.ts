/**
 * Whether this is CI, which tries all seeds, faults and pages of which a plain `npm test` tries a part (CONTRIBUTING.md). A run without
 * it names at its end what was tried in part.
 */
export const isCi = !['', 'false', undefined].includes(process.env['CI']);
