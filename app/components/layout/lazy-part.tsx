import { lazy, type ComponentType } from "react";

import { loadFallback } from "./load-as-document";

interface PartModule<Props> {
  default: ComponentType<Props>;
}

/** How to load each part that the code of the page knows, by its name. */
const loads = new Map<string, () => Promise<void>>();

/**
 * A part of a page that few pages show: its code is loaded by those alone. On a page that has it, its code is
 * loaded before React starts, and it hydrates with the rest: in a boundary of its own, React would discard it, with
 * what was typed, when the page renders again before it has hydrated (error 421). For the same reason,
 * an update that adds a part belongs into a transition.
 *
 * @param name marks the part in the document: the name of its file, by which the server finds what it needs
 * @param Fallback what a page shows from then on when the code does not arrive
 */
export function lazyPart<Props extends object>(
  name: string,
  load: () => Promise<PartModule<Props>>,
  Fallback: ComponentType<Props> = () => null,
): ComponentType<Props> {
  let loaded: PartModule<Props> | undefined;
  loads.set(name, async () => {
    loaded = await load();
  });
  // `lazy` returns a component with a ref, which these have none of.
  const Part = lazy(() =>
    loaded
      ? resolved(loaded)
      : load().catch(async () => (await loadFallback()).goOnWithout(Fallback)),
  ) as unknown as ComponentType<Props>;
  return function LazyPart(props: Props) {
    return (
      <>
        <template data-part={name} />
        <Part {...props} />
      </>
    );
  };
}

/** Loads the code of the parts in the document. Rejects when that fails, and the page stays without script. */
export async function loadPartsInDocument(): Promise<void> {
  const marks = document.querySelectorAll<HTMLElement>("[data-part]");
  await Promise.all([...marks].map((mark) => loads.get(mark.dataset["part"]!)!()));
}

/** A promise that calls back at once, so that React does not wait for it: `lazy` uses nothing but `then`. */
function resolved<Value>(value: Value): Promise<Value> {
  return { then: (resolve: (value: Value) => void) => resolve(value) } as unknown as Promise<Value>;
}
