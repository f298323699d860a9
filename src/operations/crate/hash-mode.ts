/** How the files of a folder are hashed: by names, sizes and times, by content, or not at all. */
export const hashModes = ['manifest', 'content', 'none'] as const;
export type HashMode = (typeof hashModes)[number];
