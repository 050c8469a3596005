/**
 * What the app and the stand-ins know of a request is in an AsyncLocalStorage, which Node copies into every promise
 * until it is disabled. Test files share a process, and each loads the app: without this, the last of
 * thirty files would copy those of all others.
 */
import asyncHooks, { type AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";

import { processWide } from "./process-wide";

const storages = processWide("context-storages", () => ({
  watched: false,
  current: [] as AsyncLocalStorage<unknown>[],
}));

/** From now on remembers every storage. */
export function watchContextStorages(): void {
  if (storages.watched) return;
  storages.watched = true;
  asyncHooks.AsyncLocalStorage = class<Store> extends asyncHooks.AsyncLocalStorage<Store> {
    constructor() {
      super();
      storages.current.push(this);
    }
  };
  syncBuiltinESMExports();
}

/** Disables every storage that the test file created. One that is used again is enabled again. */
export function disableContextStorages(): void {
  for (const storage of storages.current.splice(0)) storage.disable();
}
