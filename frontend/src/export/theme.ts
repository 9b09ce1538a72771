const light = "(prefers-color-scheme: light)";

/** Follows the reader's theme. */
export function watchTheme(): void {
  const query = matchMedia(light);
  const apply = () => {
    document.documentElement.dataset.theme = query.matches ? "light" : "dark";
  };
  query.addEventListener("change", apply);
  apply();
}

/** Paper is light, and shows what is folded. */
export function watchPrinting(): void {
  let folded: HTMLDetailsElement[] = [];
  let theme = "";
  window.addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme ?? "";
    document.documentElement.dataset.theme = "light";
    folded = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const one of folded) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    document.documentElement.dataset.theme = theme;
    for (const one of folded) one.open = false;
  });
}
