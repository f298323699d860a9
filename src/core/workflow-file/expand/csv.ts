/**
 * The rows of comma-separated text: quoted fields may contain commas, line breaks and doubled quotes; blank lines are
 * skipped; fields are trimmed.
 */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /[ \t]*"((?:[^"]|"")*)"[^,\r\n]*|[^,\r\n]*/y;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    field.lastIndex = at;
    const match = field.exec(text);
    row.push((match?.[1]?.replaceAll('""', '"') ?? match?.[0] ?? '').trim());
    at += match?.[0].length ?? 0;
    const next = text[at];
    if (next === ',') {
      at += 1;
      if (at === text.length) row.push('');
      else continue;
    }
    at += next === '\r' && text[at + 1] === '\n' ? 2 : next === '\r' || next === '\n' ? 1 : 0;
    if (row.length > 1 || row[0] !== '' || match?.[1] !== undefined) rows.push(row);
    row = [];
  }
  return rows;
}
