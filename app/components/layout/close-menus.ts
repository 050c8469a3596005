/**
 * Closes open menus (`<details data-menu>`) on Escape, which returns to the menu's button, and on a press outside of
 * them. Without script they close by their own button. Works from the first moment, before React has started.
 */
export function watchMenus(): void {
  const close = (stays: (menu: HTMLDetailsElement) => boolean) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details[data-menu][open]"))
      if (!stays(menu)) {
        menu.open = false;
        // It was in the menu, or in the list that the top bar's switch shows.
        if (document.activeElement?.checkVisibility?.() === false)
          menu.querySelector("summary")?.focus();
      }
  };
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") close(() => false);
  });
  addEventListener("click", ({ target }) => {
    // The list that the top bar's switch shows is not inside of it.
    close((menu) => menu.contains(target as Node) || menu.classList.contains("menu-switch"));
  });
}
