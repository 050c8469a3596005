/**
 * Follows links within the page (`#id`) without a navigation. The router would take one for a new page, and
 * drop the result of the form that is shown: its errors, and the addresses that were found.
 */
export function watchLinksInPage(): void {
  addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
    const target = link && document.getElementById(link.hash.slice(1));
    if (!target || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    target.scrollIntoView();
    // A heading takes the focus as well, so that Tab continues from there.
    if (target.tabIndex < 0) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  });
}
