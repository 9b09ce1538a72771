/** A search engine for the address bar; `address` contains %s for the words. */
export interface SearchEngine {
  name: string;
  address: string;
}

/** The search engines in the settings. Nothing is sent to any of them before the user has chosen one. */
export const searchEngines: readonly SearchEngine[] = [
  { name: "DuckDuckGo", address: "https://duckduckgo.com/?q=%s" },
  { name: "Startpage", address: "https://www.startpage.com/do/search?q=%s" },
  { name: "Google", address: "https://www.google.com/search?q=%s" },
  { name: "Bing", address: "https://www.bing.com/search?q=%s" },
  { name: "Brave Search", address: "https://search.brave.com/search?q=%s" },
  { name: "Ecosia", address: "https://www.ecosia.org/search?q=%s" },
  { name: "Wikipedia", address: "https://en.wikipedia.org/w/index.php?search=%s" },
];

/** The setting of a user who does not want to search from the address bar or to be asked. */
export const noSearch = "none";
