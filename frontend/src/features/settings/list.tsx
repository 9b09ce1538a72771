import { useContext, useMemo, useRef, type KeyboardEvent, type RefObject } from "react";
import { CommandsContext, useApp } from "@/store/context";
import { cx } from "@/ui/cx";
import { SearchIcon } from "@/ui/icons";
import { Select } from "@/ui/input";
import { Highlighted } from "./highlighted";
import { pageGroups, pages, type Page } from "./pages";
import { searchedSettings, searchSettings, searchWords, slug, type SettingsHit } from "./places";

interface PageListProps {
  page: Page;
  query: string;
  search: RefObject<HTMLInputElement | null>;
  onQuery: (query: string) => void;
}

/** The pages, or what the search found in all of them. */
export function PageList({ page, query, search, onQuery }: PageListProps) {
  const list = useRef<HTMLElement>(null);
  const app = useApp();
  const buttons = () => [...(list.current?.querySelectorAll<HTMLButtonElement>("button") ?? [])];
  const move = (e: KeyboardEvent) => {
    const all = buttons();
    const at = all.findIndex((b) => b === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.code];
    const isTyping = e.target === search.current && e.code !== "ArrowDown";
    if (to === undefined || isTyping || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    if (to < 0) search.current?.focus();
    else all[to]?.focus();
  };
  const { commands } = useContext(CommandsContext);
  const searched = useMemo(() => searchedSettings(commands), [commands]);
  const hits = query.trim() ? searchSettings(searched, query) : [];
  const [first] = hits;
  return (
    <nav
      ref={list}
      aria-label="Settings"
      onKeyDown={move}
      className={
        "flex w-56 shrink-0 flex-col gap-3 overflow-y-auto border-r border-border bg-surface p-2.5 " +
        "max-[800px]:max-h-[50%] max-[800px]:w-full max-[800px]:border-r-0 max-[800px]:border-b"
      }
    >
      <label className="field flex shrink-0 items-center gap-2">
        <SearchIcon size={13} className="shrink-0 text-text-faint" />
        <input
          ref={search}
          type="search"
          aria-label="Search settings"
          placeholder="Search settings"
          data-testid="settings-search"
          className="min-w-0 flex-1 bg-transparent outline-none"
          value={query}
          onChange={(e) => onQuery(e.target.value)}
          onKeyDown={(e) => {
            if (e.code !== "Enter" || !first) return;
            e.preventDefault(); // or it presses the button that has the focus then
            app.openSettings(first.at);
          }}
        />
      </label>
      {query.trim() ? <Hits hits={hits} query={query} /> : <Pages page={page} />}
    </nav>
  );
}

const lineClass =
  "flex w-full flex-col rounded-md px-2.5 py-1 text-left text-xs hover:bg-surface-hover hover:text-text";

function Pages({ page }: { page: Page }) {
  const app = useApp();
  return (
    <>
      <Select
        className="min-[801px]:hidden"
        aria-label="Page"
        data-testid="settings-page"
        value={page.title}
        onChange={(e) => app.openSettings(e.target.value)}
      >
        {pages.map((p) => (
          <option key={p.title}>{p.title}</option>
        ))}
      </Select>
      {pageGroups.map((group) => (
        <ul key={group[0]?.title} className="flex flex-col gap-px max-[800px]:hidden">
          {group.map((p) => (
            <li key={p.title}>
              <button
                type="button"
                data-testid={`settings-page-${slug(p.title)}`}
                aria-current={p === page ? "page" : undefined}
                // One Tab stop: the arrows go on from there.
                tabIndex={p === page ? 0 : -1}
                className={cx(lineClass, p === page ? "bg-surface-hover font-medium text-text" : "text-text-muted")}
                onClick={() => app.openSettings(p.title)}
              >
                {p.title}
              </button>
            </li>
          ))}
        </ul>
      ))}
    </>
  );
}

function Hits({ hits, query }: { hits: readonly SettingsHit[]; query: string }) {
  const app = useApp();
  const words = searchWords(query);
  return (
    <>
      <p role="status" className="px-2.5 text-2xs text-text-faint" data-testid="settings-found">
        {hits.length === 0
          ? "No setting has these words. Try fewer or other ones."
          : `${hits.length} found. Enter opens the first.`}
      </p>
      <ul className="flex flex-col gap-px">
        {hits.map((hit) => (
          <li key={hit.at}>
            <button
              type="button"
              data-testid="settings-hit"
              className={lineClass}
              onClick={() => app.openSettings(hit.at)}
            >
              <span className="w-full text-text">
                <Highlighted text={hit.title} words={words} />
              </span>
              <span className="line-clamp-2 w-full text-2xs text-text-faint">
                {hit.title === hit.page.title ? null : hit.page.title}
                {hit.title === hit.page.title || hit.text === "" ? null : " · "}
                <Highlighted text={hit.text} words={words} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
