import { cellText } from './table.ts';

/** A record as text: what it is, then each field that is set, by its name on the wire. */
export function recordText(title: string, record: object): string {
  const fields = Object.entries(record).filter(([, value]) => cellText(value) !== '');
  return [`${title}:`, ...fields.map(([name, value]) => `  ${name}: ${cellText(value)}`)].join('\n');
}
