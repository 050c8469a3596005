/**
 * Loaded before a program (`node --import`): its clock begins at FIXED_TIME, and runs a thousand times
 * slower than a real one. So pages say the same on each day, and what happens later still has a later time. A slow
 * machine gets more time for what a page would leave out: the counts beside its links.
 */
const RealDate = Date;
const realNow = RealDate.now;
const started = realNow();
const now = () => Date.parse(process.env.FIXED_TIME) + Math.floor((realNow() - started) / 1_000);

RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
});

const TIMES_LONGER = 60;
const { timeout } = AbortSignal;
AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms * TIMES_LONGER);
