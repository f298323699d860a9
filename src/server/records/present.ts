type Present<Row> = { [C in keyof Row]: null extends Row[C] ? Exclude<Row[C], null> | undefined : Row[C] };

/** The row without its nulls: the service leaves out unset fields. */
export function presentFields<Row extends object>(row: Row): Present<Row> {
  const set: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) if (value !== null) set[column] = value;
  return set as Present<Row>;
}

/** A value that is stored as JSON text. */
export const parsedJson = (text: string | null) => (text === null ? undefined : JSON.parse(text));

/** The row of a record whose columns are its fields: what may be absent is null there. */
export type RowOf<Model> = {
  [Field in keyof Model]-?: undefined extends Model[Field] ? NonNullable<Model[Field]> | null : Model[Field];
};
