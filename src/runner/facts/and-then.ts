/**
 * Goes on with a value at once if it is known at once, otherwise when it is: the next job of a chain starts within the call that
 * reported the end of the one before.
 */
export const andThen = <Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> => (value instanceof Promise ? value.then(next) : next(value));
