/**
 * Gives the page a language that Intl knows. In a window without a locale (LANG=C), WebKit calls the language "C", which
 * libraries pass to Intl when they load, and which throws.
 */
export function repairLanguage(nav: Navigator): void {
  try {
    Intl.getCanonicalLocales(nav.language);
  } catch {
    Object.defineProperty(nav, "language", { value: "en", configurable: true });
    Object.defineProperty(nav, "languages", { value: ["en"], configurable: true });
  }
}
