import { dateText } from './local-time.ts';
import type { Column } from './table.ts';
import { percentText } from './words.ts';

type Layout<Row> = Omit<Column<Row>, 'title' | 'value' | 'text'>;

/** A value with another form for people, aligned to the right. */
export const amount = <Row, Value>(
  title: string,
  value: (row: Row) => Value,
  textOf: (value: Value) => string,
  layout: Layout<Row> = {},
): Column<Row> => ({ title, value, text: (row) => textOf(value(row)), align: 'right', ...layout });

/** A percentage with one decimal. */
export const percent = <Row>(
  title: string,
  value: (row: Row) => number | undefined,
  layout: Layout<Row> = {},
): Column<Row> => ({ ...amount(title, value, percentText, layout), value: (row) => value(row)?.toFixed(1) });

/** A time as it was sent, and for people in their own time zone. */
export const date = <Row>(
  title: string,
  value: (row: Row) => string | null | undefined,
  layout: Layout<Row> = {},
): Column<Row> => ({ title, value, text: (row) => dateText(value(row)), ...layout });
