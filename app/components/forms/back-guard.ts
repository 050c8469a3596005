let onBack: (event: PopStateEvent) => void = () => undefined;

/** Sets what runs when someone goes back or forward, before the router does. */
export function setBackGuard(guard: typeof onBack): void {
  onBack = guard;
}

/** Runs the guard. Called before the router starts: listeners of the window run in the order in which they were added. */
export function watchBack(): void {
  addEventListener("popstate", (event) => onBack(event));
}
