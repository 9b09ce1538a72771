import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { asProblem } from "@/bridge/problem";
import type { PaneInfo, Visit } from "@/bridge/types";
import { useApp } from "@/store/context";
import { cx } from "@/ui/cx";
import { SearchChoice } from "./searchchoice";
import { SiteIcon } from "./site";

interface AddressProps {
  pane: PaneInfo;
  field: RefObject<HTMLInputElement | null>;
  /** The page takes the focus after an address was entered. */
  onEntered: () => void;
  /** Opens the panel about the site. */
  onSite: () => void;
}

const shownHits = 8;

/** The address bar, with matching addresses of the history below. */
export function Address({ pane, field, onEntered, onSite }: AddressProps) {
  const app = useApp();
  const [typed, setTyped] = useState<string | null>(null);
  const [hits, setHits] = useState<Visit[]>([]);
  const [at, setAt] = useState(-1);
  const asked = useRef(0);
  const [going, setGoing] = useState<string | null>(null);
  const shown = going ?? (pane.url === "about:blank" ? "" : pane.url);

  // If the whole address is selected, ready to be replaced, it stays selected when the page navigates.
  useLayoutEffect(() => {
    if (typed === null && field.current && document.activeElement === field.current) field.current.select();
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shown, field]);

  useEffect(() => {
    if (typed === null || typed.trim() === "") return;
    const n = ++asked.current;
    void app.bridge
      .call("BrowserAPI.History", typed, shownHits)
      .then((list) => {
        if (n === asked.current) setHits(list ?? []);
      })
      .catch(() => undefined); // an address can be typed without the history
  }, [app, typed]);

  const close = () => {
    asked.current++;
    setTyped(null);
    setHits([]);
    setAt(-1);
  };
  const [choosing, setChoosing] = useState("");
  const enter = async (text: string) => {
    close();
    onEntered();
    // The target address is shown until the page has loaded or was stopped.
    setGoing(text);
    try {
      await app.bridge.call("BrowserAPI.Enter", pane.id, text);
    } catch (reason) {
      const problem = asProblem(reason);
      if (problem.field === "search_page") setChoosing(text);
      else app.notices.problem(problem);
    }
    setGoing((now) => (now === text ? null : now));
  };
  const open = typed !== null && typed.trim() !== "" && hits.length > 0;

  const press = (e: KeyboardEvent<HTMLInputElement>) => {
    const text = e.currentTarget.value.trim();
    if (e.code === "Enter" && text) {
      e.preventDefault(); // otherwise the page, which has the focus now, gets the rest of this key and sends its form
      void enter(text);
    }
    if (e.code === "ArrowDown" && open) {
      e.preventDefault();
      setAt(Math.min(at + 1, hits.length - 1));
    }
    if (e.code === "ArrowUp" && open) {
      e.preventDefault();
      setAt(Math.max(at - 1, -1));
    }
    if (e.code === "Escape") {
      close();
      onEntered();
    }
  };

  return (
    <div className="relative my-1 ml-1 min-w-[96px] flex-1">
      <SiteButton pane={pane} onClick={onSite} />
      <input
        ref={field}
        data-testid="browser-address"
        aria-label="Address"
        role="combobox"
        aria-expanded={open}
        spellCheck={false}
        autoComplete="off"
        placeholder="Search or enter an address, such as localhost:8080"
        className={cx(
          "h-[26px] w-full rounded-full border border-transparent bg-surface-hover pr-3 pl-7",
          "text-xs text-text outline-none focus:border-accent focus:bg-bg",
        )}
        value={(open && hits[at]?.url) || (typed ?? shown)}
        onChange={(e) => {
          setTyped(e.target.value);
          setAt(-1);
        }}
        onFocus={(e) => e.target.select()}
        onBlur={close}
        onKeyDown={press}
      />
      {pane.loading ? (
        <span aria-hidden className="breathe absolute inset-x-3 bottom-0 h-0.5 rounded-full bg-accent" />
      ) : null}
      {choosing ? (
        <SearchChoice
          words={choosing}
          onClose={() => setChoosing("")}
          onChosen={() => {
            setChoosing("");
            void enter(choosing);
          }}
        />
      ) : null}
      {open ? <Hits hits={hits} at={at} onChoose={(url) => void enter(url)} /> : null}
    </div>
  );
}

interface HitsProps {
  hits: readonly Visit[];
  /** The suggestion that the arrow keys selected; -1 is none. */
  at: number;
  onChoose: (url: string) => void;
}

function Hits({ hits, at, onChoose }: HitsProps) {
  return (
    <ul
      role="listbox"
      aria-label="Visited before"
      data-testid="address-hits"
      className={cx(
        "appear absolute inset-x-0 top-8 z-30 rounded-md border border-border-strong",
        "bg-surface-raised p-1 shadow-pop",
      )}
    >
      {hits.map((hit, i) => (
        <li
          key={hit.url}
          role="option"
          aria-selected={i === at}
          data-testid="address-hit"
          className={cx(
            "flex h-7 items-center gap-2 rounded-sm px-2 text-xs hover:bg-surface-hover",
            i === at && "bg-surface-hover",
          )}
          // The field keeps the focus until a suggestion is chosen.
          onMouseDown={(e) => e.preventDefault()}
          onClick={() => onChoose(hit.url)}
        >
          <span className="max-w-[45%] truncate">{hit.title}</span>
          <span className="min-w-0 flex-1 truncate text-text-faint">{hit.url}</span>
        </li>
      ))}
    </ul>
  );
}

function SiteButton({ pane, onClick }: { pane: PaneInfo; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label="About this site"
      data-testid="site-button"
      disabled={!pane.url.startsWith("http")}
      className={cx(
        "absolute top-0.5 left-1 inline-flex size-[22px] items-center justify-center rounded-full",
        "text-text-faint enabled:hover:bg-surface-raised enabled:hover:text-text",
      )}
      onClick={onClick}
    >
      <SiteIcon url={pane.url} />
    </button>
  );
}
