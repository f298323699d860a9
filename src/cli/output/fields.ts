/** A record as text: a title, and each field that is set on its own line. `unset` are values without meaning. */
export function fieldsText(title: string, record: object, unset: readonly unknown[] = []): string {
  const lines = Object.entries(record)
    .filter(([, value]) => value !== undefined && value !== null && !unset.includes(value))
    .map(([field, value]) => `  ${field}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  return [title, ...lines].join('\n');
}
