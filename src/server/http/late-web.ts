/**
 * The place of the runtime's `Headers`, `Request` and `Response` in built programs: until one of them is constructed, a stand-in.
 *
 * hono's adapter reads the three when it is loaded, and derives its own from them. To read one loads a second client for HTTP into
 * the runtime, with TLS and HTTP/2: 25 ms of CPU time and 8 MB for each server. The adapter's own serve our requests and replies.
 * `scripts/build.ts` puts `web` in the place of `global`, and its members in that of the three names. What constructs one of them gets that
 * of the runtime.
 */

type Class = new (...args: never[]) => object;

/** A class that stands for another one, which is loaded when the first object is constructed. */
export function standIn<C extends Class>(name: string, load: () => C): C {
  let real: C | undefined;
  const loaded = (): C => {
    if (real !== undefined) return real;
    real = load();
    // What derives from the stand-in derives from the class of the runtime from now on.
    Object.setPrototypeOf(StandIn, real);
    Object.setPrototypeOf(StandIn.prototype as object, real.prototype as object);
    return real;
  };
  class StandIn {
    constructor(...args: unknown[]) {
      const of = loaded();
      return Reflect.construct(of, args, new.target === StandIn ? of : new.target) as StandIn;
    }

    static [Symbol.hasInstance](value: unknown): boolean {
      if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
      // Also one that the runtime made by itself, as its fetch does.
      return (
        this === StandIn && Object.prototype.toString.call(value) === `[object ${name}]` && value instanceof loaded()
      );
    }
  }
  // Its static members, before the first object.
  Object.setPrototypeOf(
    StandIn,
    new Proxy(Function.prototype, {
      get: (target, key, receiver) => Reflect.get(key in target ? target : loaded(), key, receiver) as unknown,
    }),
  );
  Object.defineProperty(StandIn, 'name', { value: name });
  return StandIn as unknown as C;
}

/** Reads the class by a text: the build replaces its name in code by the stand-in. */
const ofRuntime = (name: string) => standIn(name, () => Reflect.get(globalThis, name) as Class);

/** What code means by `global`: the adapter puts its own classes here, and everything else is that of the runtime. */
export const web = Object.assign(Object.create(globalThis) as object, {
  Headers: ofRuntime('Headers'),
  Request: ofRuntime('Request'),
  Response: ofRuntime('Response'),
});
