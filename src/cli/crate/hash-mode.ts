/** How the files of a folder become one hash: by their names, sizes and times, by what is in them, or not at all. */
export const hashModes = ['manifest', 'content', 'none'] as const;
export type HashMode = (typeof hashModes)[number];
