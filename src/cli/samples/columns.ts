import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { formatTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { amount } from '../output/columns.ts';
import type { Column } from '../output/table.ts';
import { secondsText } from '../output/words.ts';

export const right = 'right' as const;

export const sampleTimeText = (time: number | undefined): string =>
  time === undefined ? '' : formatTimestamp(time).slice(0, 16).replace('T', ' ');

export const time = <Row>(
  title: string,
  value: (row: Row) => number | undefined,
  importance?: number,
): Column<Row> => ({
  title,
  value: (row) => {
    const at = value(row);
    return at === undefined ? undefined : formatTimestamp(at);
  },
  text: (row) => sampleTimeText(value(row)),
  ...(importance === undefined ? {} : { importance }),
});

/** An amount of memory; for people nothing where it is 0. */
export const kb = <Row>(
  title: string,
  value: (row: Row) => Uint | undefined,
  layout: { readonly importance?: number } = {},
): Column<Row> => amount(title, value, (size = 0) => (size === 0 ? '' : sizeText(Number(size) * 1024)), layout);

export const seconds = <Row>(title: string, value: (row: Row) => Uint | undefined): Column<Row> =>
  amount(title, value, (span) => secondsText(span === undefined ? undefined : Number(span)));

/** A number; for people nothing where it is 0. */
export const countColumn = <Row>(title: string, value: (row: Row) => Uint): Column<Row> =>
  amount(title, value, (number) => (number === 0 ? '' : String(number)));
