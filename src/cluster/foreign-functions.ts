/** A function of libc, by the types of its parameters and result. The runtime renamed the fields between versions; it ignores unknown names. */
export interface Signature {
  readonly arguments: readonly string[];
  readonly return: string;
  readonly parameters: readonly string[];
  readonly result: string;
}

/** The signature of a function that returns an int. */
export const takes = (...types: string[]): Signature => ({
  arguments: types,
  return: 'i32',
  parameters: types,
  result: 'i32',
});

interface ForeignFunctions<Calls> {
  dlopen(path: null, definitions: Readonly<Record<keyof Calls, Signature>>): { functions: Calls };
  getRawPointer(buffer: ArrayBuffer): bigint;
}

/** The runtime's foreign function interface. Throws where it has none. */
export function foreignFunctions<Calls>(): ForeignFunctions<Calls> {
  // The runtime warns that the interface is experimental; users need not read that.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const ffi = (process.getBuiltinModule as (name: string) => unknown)('node:ffi') as
      | ForeignFunctions<Calls>
      | undefined;
    if (ffi === undefined) throw new Error('this runtime has no node:ffi');
    return ffi;
  } finally {
    process.emitWarning = emitWarning;
  }
}
