/** Whether this is CI: it tries all faults and kills of which a plain `npm test` tries a part (CONTRIBUTING.md). */
export const isCi = !['', 'false', undefined].includes(process.env['CI']);
