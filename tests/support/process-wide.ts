/**
 * One value for the whole process. Test files that share a process each load their modules afresh, but
 * what replaces something global (fetch, the console) must be there once.
 * @param name of the value
 * @param create makes it, the first time
 */
export function processWide<Value>(name: string, create: () => Value): Value {
  const all = globalThis as unknown as Record<symbol, Value | undefined>;
  return (all[Symbol.for(`tests.${name}`)] ??= create());
}
