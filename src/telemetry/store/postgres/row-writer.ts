/** A value of a column, as `COPY` takes it. */
export type CopyValue = number | bigint | string | boolean | readonly (number | bigint)[] | null;

/** The types of columns that are copied: the bytes of a value do not say it, so they must be those of the table. */
export type ColumnType = 'int4' | 'int8' | 'float8' | 'bool' | 'text' | 'int8[]';

/** The columns of a table with their types, in the order of their values. */
export type Columns = Readonly<Record<string, ColumnType>>;

export const typedColumns = (type: ColumnType, names: string): Columns =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]));

/** The first bytes of the binary format: its signature, and two numbers that are 0. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = -1;
/** In place of the length of a value. */
const NULL = -1;
const OID_INT8 = 20;
const TWO_TO_32 = 2 ** 32;

/**
 * Bytes that are sent at once. The server stores them while the next ones are encoded: with many more it would wait for them, with
 * few each message costs more than its rows.
 */
const PORTION_BYTES = 65_536;

/** Encodes rows in the binary format of `COPY`, in one buffer that is used again. */
export class RowWriter {
  #buffer = Buffer.allocUnsafeSlow(2 * PORTION_BYTES);
  #view = new DataView(this.#buffer.buffer);
  #used = 0;
  #send: (bytes: Buffer) => void = () => {};

  /** Encodes the rows that `write` gives. The bytes that are handed to `send` are overwritten after it returns. */
  writeAll(write: (out: RowWriter) => void, send: (bytes: Buffer) => void): void {
    this.#send = send;
    this.#used = HEADER.copy(this.#buffer);
    write(this);
    this.#int16(END);
    this.#flush();
  }

  /** Begins a row of so many columns. */
  row(columns: number): void {
    if (this.#used >= PORTION_BYTES) this.#flush();
    this.#int16(columns);
  }

  /** A whole row. */
  values(types: readonly ColumnType[], values: readonly CopyValue[]): void {
    this.row(types.length);
    for (const [index, type] of types.entries()) this.#value(type, values[index] ?? null);
  }

  #value(type: ColumnType, value: CopyValue): void {
    if (value === null) this.null();
    else if (type === 'int8') this.int8(value as number | bigint);
    else if (type === 'float8') this.float8(value as number);
    else if (type === 'int4') this.int4(value as number);
    else if (type === 'bool') this.bool(value as boolean);
    else if (type === 'text') this.text(value as string);
    else this.int8s(value as readonly (number | bigint)[]);
  }

  /** What stands for no value. */
  null(): void {
    this.#ensure(4);
    this.#int32(NULL);
  }

  int4(value: number | null): void {
    if (value === null) return this.null();
    this.#ensure(8);
    if ((value | 0) !== value) throw new RangeError(`${value} is no integer of 32 bits`);
    this.#int32(4);
    this.#int32(value);
  }

  int8(value: number | bigint | null): void {
    if (value === null) return this.null();
    this.#ensure(12);
    this.#int32(8);
    this.#int64(value);
  }

  float8(value: number | null): void {
    if (value === null) return this.null();
    this.#ensure(12);
    this.#int32(8);
    this.#view.setFloat64(this.#used, value);
    this.#used += 8;
  }

  bool(value: boolean | null): void {
    if (value === null) return this.null();
    this.#ensure(5);
    this.#int32(1);
    this.#view.setInt8(this.#used++, value ? 1 : 0);
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#ensure(4 + bytes);
    this.#int32(bytes);
    this.#used += this.#buffer.write(value, this.#used);
  }

  /** A list of one dimension without nulls. */
  int8s(values: readonly (number | bigint)[]): void {
    const bytes = 20 + 12 * values.length;
    this.#ensure(4 + bytes);
    this.#int32(bytes);
    for (const each of [1, 0, OID_INT8, values.length, 1]) this.#int32(each);
    for (const value of values) {
      this.#int32(8);
      this.#int64(value);
    }
  }

  #int16(value: number): void {
    this.#ensure(2);
    this.#view.setInt16(this.#used, value);
    this.#used += 2;
  }

  #int32(value: number): void {
    this.#view.setInt32(this.#used, value);
    this.#used += 4;
  }

  #int64(value: number | bigint): void {
    if (typeof value === 'bigint') this.#view.setBigInt64(this.#used, value);
    else {
      if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no exact integer`);
      // Exact up to 2^53, also below 0: the high half is rounded down. A bigint for each number would take ten times as long.
      this.#view.setInt32(this.#used, Math.floor(value / TWO_TO_32));
      this.#view.setInt32(this.#used + 4, value);
    }
    this.#used += 8;
  }

  #flush(): void {
    this.#send(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  #ensure(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#used + bytes));
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
    this.#view = new DataView(larger.buffer);
  }
}
