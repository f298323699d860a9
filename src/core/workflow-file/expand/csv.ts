export interface CsvField {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * The rows of comma-separated text: quoted fields may contain commas, line breaks and doubled quotes; blank lines are
 * skipped; fields are trimmed.
 */
export function csvRows(text: string): CsvField[][] {
  const rows: CsvField[][] = [];
  let row: CsvField[] = [];
  const field = /[ \t]*"((?:[^"]|"")*)"[^,\r\n]*|[^,\r\n]*/y;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    field.lastIndex = at;
    const match = field.exec(text);
    const quoted = match?.[1];
    row.push({
      text: (quoted?.replaceAll('""', '"') ?? match?.[0] ?? '').trim(),
      isQuoted: quoted !== undefined,
    });
    at += match?.[0].length ?? 0;
    const next = text[at];
    if (next === ',') {
      at += 1;
      if (at === text.length) row.push({ text: '', isQuoted: false });
      else continue;
    }
    at += next === '\r' && text[at + 1] === '\n' ? 2 : next === '\r' || next === '\n' ? 1 : 0;
    if (row.length > 1 || row[0]?.text !== '' || row[0].isQuoted) rows.push(row);
    row = [];
  }
  return rows;
}
