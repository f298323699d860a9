/** Every row of every table: what may not change when a request is refused. `read` runs a query on the database. */
export function contents(read: (sql: string) => unknown[]): Record<string, unknown[]> {
  const tables = read("select name from sqlite_schema where type = 'table' order by name") as { name: string }[];
  return Object.fromEntries(tables.map(({ name }) => [name, read(`select * from "${name}"`)]));
}
