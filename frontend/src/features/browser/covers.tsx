import { useEffect, useState } from "react";
import type { PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button, IconButton, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { CloseIcon, GlobeIcon, WarnIcon } from "@/ui/icons";

/**
 * Go's message about a page, until the user closes it. It covers a part of the page instead of taking space from it:
 * it disappears when the user presses a button in the page, and the page must not move at that moment.
 */
export function PageNotice({ notice }: { notice: string }) {
  const [read, setRead] = useState("");
  if (!notice || notice === read) return null;
  return (
    <div
      role="status"
      data-testid="browser-notice"
      className={cx(
        "pointer-events-auto flex min-h-8 shrink-0 items-center gap-2 border-t border-border",
        "bg-surface-raised py-1 pr-1 pl-3 text-xs text-text-muted",
      )}
    >
      <span className="selectable min-w-0 flex-1 break-words">{notice}</span>
      <IconButton label="Close" onClick={() => setRead(notice)}>
        <CloseIcon size={12} />
      </IconButton>
    </div>
  );
}

/** How long it is said how to leave full screen. */
const noteMs = 5_000;

/** Says that the page fills the pane, and who it is from: it could draw a toolbar of another site. */
export function FullscreenNote({ pane }: { pane: PaneInfo }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), noteMs);
    return () => clearTimeout(timer);
  }, []);
  if (isOver) return null;
  const { host } = new URL(pane.url);
  return (
    <p
      role="status"
      data-testid="fullscreen-note"
      className={cx(
        "appear pointer-events-none absolute top-3 left-1/2 z-20 max-w-[90%] -translate-x-1/2 truncate rounded-md border",
        "border-border-strong bg-surface-raised px-3 py-1.5 text-xs shadow-pop",
      )}
    >
      {host ? `${host} is in full screen. ` : "The page is in full screen. "}
      <Kbd>Esc</Kbd> leaves it.
    </p>
  );
}

/** Why a page cannot be shown, and what the user can do. */
export function PageProblem({ pane }: { pane: PaneInfo }) {
  const app = useApp();
  if (!pane.problem) return null;
  return (
    <div className="absolute inset-0 flex flex-col items-center justify-center gap-3 bg-surface p-6" role="alert">
      <WarnIcon size={28} className="text-warn" />
      <p className="selectable max-w-md text-center text-sm">{pane.problem}</p>
      <div className="flex gap-2">
        <Button data-testid="browser-problem-reload" onClick={() => void app.ask("BrowserAPI.Reload", pane.id)}>
          Reload
        </Button>
        {pane.running ? (
          <Button data-testid="browser-problem-stop" onClick={() => void app.ask("BrowserAPI.Stop", pane.id)}>
            Stop its script
          </Button>
        ) : null}
      </div>
    </div>
  );
}

export function Reconnecting() {
  return (
    <div className="absolute top-2 right-3" role="status">
      <Badge tone="warn" live>
        reconnecting
      </Badge>
    </div>
  );
}

export function BlankPage() {
  return (
    <div
      className={cx(
        "pointer-events-none absolute inset-0 flex flex-col items-center justify-center gap-2",
        "bg-surface text-text-faint",
      )}
    >
      <GlobeIcon size={26} />
      <p className="text-xs">Enter an address above</p>
    </div>
  );
}
