/** Loaded before a program: its time of day jumps now and then, by up to an hour, as on a machine whose clock is set. */
const RealDate = Date;
let offsetMs = 0;
setInterval(() => {
  offsetMs = Math.round((Math.random() * 2 - 1) * 3_600_000);
}, 2_000).unref();
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
};
