/** The library has no types of its own; `library.ts` says which part of it is used. */
declare module 'pg' {
  const library: unknown;
  export { library as default };
}
