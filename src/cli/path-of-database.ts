/** The path of a database, which Torc 1.0.0 writes as a connection string, too: `sqlite:torc.db?mode=rwc`. */
export const pathOfDatabase = (text: string): string => text.replace(/^sqlite:(?:\/\/)?([^?]*).*$/, '$1');
