/** The path of a database, which Torc 1.0.0 writes as a connection string, too: `sqlite:torc.db?mode=rwc`, and other programs of SQLite as `file:torc.db`. */
export const pathOfDatabase = (text: string): string => text.replace(/^(?:sqlite|file):(?:\/\/)?([^?]*).*$/, '$1');
