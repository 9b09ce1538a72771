import { useEffect, useRef, type RefObject } from "react";
import type { PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useCall } from "@/store/usecall";
import { IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { BackIcon, CloseIcon, DotsIcon, ForwardIcon, HomeIcon, ReloadIcon, StarIcon } from "@/ui/icons";
import { Menu, type MenuItem } from "@/ui/menu";
import { Address } from "./address";
import { TakeoverBar } from "./takeover";

export type Panel = "find" | "downloads" | "library" | "logins" | "site" | null;

interface ToolbarProps {
  pane: PaneInfo;
  address: RefObject<HTMLInputElement | null>;
  zoom: number;
  onEntered: () => void;
  onPanel: (panel: Panel) => void;
}

/** In a narrow pane the address needs the space; the menu contains these buttons too. */
const yieldsToAddress = "@max-[560px]:hidden";

/** Back, forward, reload, home, the address, the star and the menu. */
export function Toolbar({ pane, address, zoom, onEntered, onPanel }: ToolbarProps) {
  const app = useApp();
  const [kept, keep] = useBookmark(pane);
  const bookmark: NonNullable<MenuItem> = {
    id: "bookmark",
    label: kept ? "Remove bookmark" : "Bookmark this page",
    disabled: !pane.url.startsWith("http"),
    run: () => void keep(!kept),
  };

  return (
    <div
      className={cx(
        "@container flex min-h-9 shrink-0 flex-wrap items-center gap-x-0.5 border-b border-border",
        "bg-surface px-1.5",
      )}
    >
      <IconButton
        label="Back"
        data-testid="browser-back"
        disabled={!pane.can_back}
        onClick={() => void app.ask("BrowserAPI.Back", pane.id)}
      >
        <BackIcon size={15} />
      </IconButton>
      <IconButton
        label="Forward"
        data-testid="browser-forward"
        disabled={!pane.can_forward}
        onClick={() => void app.ask("BrowserAPI.Forward", pane.id)}
      >
        <ForwardIcon size={15} />
      </IconButton>
      {pane.loading ? (
        <IconButton
          label="Stop"
          hint="Esc"
          data-testid="browser-stop"
          onClick={() => void app.ask("BrowserAPI.Stop", pane.id)}
        >
          <CloseIcon size={15} />
        </IconButton>
      ) : (
        <IconButton
          label="Reload"
          hint="F5"
          data-testid="browser-reload"
          onClick={() => void app.ask("BrowserAPI.Reload", pane.id)}
        >
          <ReloadIcon size={15} />
        </IconButton>
      )}
      <IconButton
        label="Home"
        hint="Alt+Home"
        data-testid="browser-home"
        className={yieldsToAddress}
        onClick={() => goHome(app, pane)}
      >
        <HomeIcon size={15} />
      </IconButton>
      <Address pane={pane} field={address} onEntered={onEntered} onSite={() => onPanel("site")} />
      <IconButton
        label={bookmark.label}
        data-testid="browser-bookmark"
        data-kept={kept}
        disabled={!pane.url.startsWith("http")}
        on={kept}
        className={yieldsToAddress}
        onClick={() => void keep(!kept)}
      >
        <StarIcon size={14} />
      </IconButton>
      <TakeoverBar pane={pane} />
      <Menu items={menuOf(app, pane, zoom, onPanel, bookmark)}>
        <button
          type="button"
          aria-label="Page menu"
          data-testid="browser-menu"
          className={cx(
            "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-text-muted",
            "hover:bg-surface-hover hover:text-text",
          )}
        >
          <DotsIcon size={15} />
        </button>
      </Menu>
    </div>
  );
}

/** Opens the user's home page, or a blank page if none is set. */
export function goHome(app: ReturnType<typeof useApp>, pane: PaneInfo): void {
  void app.ask("BrowserAPI.Navigate", pane.id, app.store.getState().settings?.home_page || "about:blank");
}

function menuOf(
  app: ReturnType<typeof useApp>,
  pane: PaneInfo,
  zoom: number,
  onPanel: (p: Panel) => void,
  bookmark: MenuItem,
): MenuItem[] {
  const zoomTo = (percent: number) => void app.ask("BrowserAPI.Zoom", pane.id, percent);
  const print = async () => {
    const path = await app.ask("BrowserAPI.Print", pane.id);
    if (path) app.notices.done(`Saved as ${path}`);
  };
  return [
    { id: "find", label: "Find in page…", hint: "Ctrl+F", takesFocus: true, run: () => onPanel("find") },
    { id: "zoom-in", label: `Zoom in (${zoom} %)`, hint: "Ctrl++", run: () => zoomTo(nextZoom(zoom, 1)) },
    { id: "zoom-out", label: "Zoom out", hint: "Ctrl+-", run: () => zoomTo(nextZoom(zoom, -1)) },
    { id: "zoom-reset", label: "Actual size", hint: "Ctrl+0", disabled: zoom === 100, run: () => zoomTo(100) },
    { id: "pdf", label: "Save as PDF", hint: "Ctrl+P", run: () => void print() },
    null,
    { id: "home", label: "Home page", hint: "Alt+Home", run: () => goHome(app, pane) },
    bookmark,
    { id: "downloads", label: "Downloads", run: () => onPanel("downloads") },
    {
      id: "logins",
      label: "Autofill login…",
      takesFocus: true,
      disabled: !pane.url.startsWith("http"),
      run: () => onPanel("logins"),
    },
    { id: "library", label: "Bookmarks, history, profiles", takesFocus: true, run: () => onPanel("library") },
    { id: "devtools", label: "Developer tools", hint: "F12", run: () => void app.panes.openDevTools(pane.id) },
    { id: "temporary", label: "New private tab", run: () => void app.panes.openBrowser("", "temporary") },
  ];
}

const zoomLevels = [25, 33, 50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300, 400, 500];

/** Returns the next of the usual zoom levels. */
export function nextZoom(now: number, by: 1 | -1): number {
  const list = by > 0 ? zoomLevels.filter((z) => z > now) : zoomLevels.filter((z) => z < now).reverse();
  return list[0] ?? now;
}

/** Whether the page is bookmarked, and a function that changes it. */
function useBookmark(pane: PaneInfo): [boolean, (on: boolean) => Promise<void>] {
  const app = useApp();
  // After an error the star stays empty; saving a bookmark reports the error.
  const { answer: bookmarks, reload } = useCall("BrowserAPI.Bookmarks");
  const seen = useRef(pane.url);
  useEffect(() => {
    if (seen.current === pane.url) return;
    seen.current = pane.url;
    void reload();
  }, [reload, pane.url]);
  const keep = async (on: boolean) => {
    if (await app.ask("BrowserAPI.SetBookmark", pane.url, pane.title, on)) await reload();
  };
  return [(bookmarks ?? []).some((b) => b.url === pane.url), keep];
}
