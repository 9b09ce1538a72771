import { useEffect, useRef, useState } from "react";
import type { PaneDownload, PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button, IconButton } from "@/ui/button";
import { CloseIcon } from "@/ui/icons";
import { Input } from "@/ui/input";
import { Popover } from "./popover";

interface DownloadsProps {
  pane: PaneInfo;
  list: readonly PaneDownload[];
  /** The list opened by itself, and so closes by itself. */
  passing?: boolean;
  onClose: () => void;
}

/** How long a list that opened by itself stays after the last file has arrived. */
const passingMs = 5_000;

/** Closes a list that opened by itself, unless a file still arrives or the user is in it. */
function usePassing(passing: boolean, onClose: () => void) {
  const [isUsed, setUsed] = useState(false);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    if (!passing || isUsed) return undefined;
    const timer = setTimeout(() => close.current(), passingMs);
    return () => clearTimeout(timer);
  }, [passing, isUsed]);
  const use = (on: boolean) => () => setUsed(on);
  return { onPointerEnter: use(true), onPointerLeave: use(false), onFocus: use(true), onBlur: use(false) };
}

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(0)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function progress(d: PaneDownload): string {
  if (d.state === "canceled") return "canceled";
  if (d.state === "arrived") return `${size(d.received)}, waits for its place`;
  if (d.state === "downloaded") return size(d.received);
  return d.total > 0 ? `${size(d.received)} of ${size(d.total)}` : size(d.received);
}

/** Asks where a file is saved. It arrives in the meantime. */
function Place({ pane, download }: { pane: PaneInfo; download: PaneDownload }) {
  const app = useApp();
  const [path, setPath] = useState(download.path);
  return (
    <form
      className="mt-1 flex gap-1"
      onSubmit={(e) => {
        e.preventDefault();
        void app.ask("BrowserAPI.PlaceDownload", pane.id, download.id, path);
      }}
    >
      <Input
        data-testid="download-place"
        aria-label={`Where to save ${download.name}`}
        title="A path, or a folder"
        spellCheck={false}
        className="h-7 min-w-0 flex-1 px-2 font-mono"
        value={path}
        onChange={(e) => setPath(e.target.value)}
      />
      <Button type="submit" look="primary" data-testid="download-save">
        Save
      </Button>
    </form>
  );
}

/** What can be done with a file that was saved. A goal's programs may have altered its files: they are not opened. */
function Saved({ pane, download }: { pane: PaneInfo; download: PaneDownload }) {
  const app = useApp();
  const open = (folder: boolean) => () => void app.ask("BrowserAPI.OpenDownload", pane.id, download.id, folder);
  return (
    <div className="flex gap-1">
      {pane.goal_id ? null : (
        <Button data-testid="download-open" onClick={open(false)}>
          Open
        </Button>
      )}
      <Button data-testid="download-folder" onClick={open(true)}>
        Folder
      </Button>
    </div>
  );
}

/** The downloads of the pane, newest first, and those of panes that are closed. */
export function Downloads({ pane, list, passing = false, onClose }: DownloadsProps) {
  const app = useApp();
  const kept = useAnswer("BrowserAPI.Downloads");
  const shown = new Set(list.map((d) => d.id));
  const earlier = passing || pane.goal_id ? [] : (kept.answer ?? []).filter((d) => !shown.has(d.id));
  const forget = async (id: string) => {
    if (await app.ask("BrowserAPI.ForgetDownload", id)) await kept.reload();
  };
  const use = usePassing(passing && !list.some((d) => d.state === "downloading" || d.asks), onClose);
  return (
    <Popover {...use} data-testid="downloads" className="appear flex max-h-80 min-h-0 w-80 flex-col" onClose={onClose}>
      <header className="flex h-9 items-center justify-between border-b border-border pr-1 pl-3 text-xs font-semibold">
        Downloads
        <IconButton label="Close" data-testid="downloads-close" onClick={onClose}>
          <CloseIcon size={13} />
        </IconButton>
      </header>
      <ul className="overflow-y-auto p-1">
        {list.length === 0 && earlier.length === 0 ? (
          <li className="p-2 text-xs text-text-faint">No downloads.</li>
        ) : null}
        {[...list].reverse().map((d) => (
          <li
            key={d.id}
            className="rounded-sm p-2 text-xs"
            data-testid="download"
            data-state={d.state}
            data-name={d.name}
          >
            <p className="selectable truncate font-medium" title={d.path || d.url}>
              {d.name}
            </p>
            <p className="text-2xs text-text-faint">{progress(d)}</p>
            {d.state === "downloading" ? (
              <div className="my-1 h-1 overflow-hidden rounded-full bg-surface-hover">
                <div
                  className="h-full bg-accent"
                  style={{ width: `${d.total > 0 ? Math.min(100, (100 * d.received) / d.total) : 30}%` }}
                />
              </div>
            ) : null}
            {d.asks ? <Place pane={pane} download={d} /> : null}
            <div className="mt-1 flex gap-1">
              {d.state === "downloading" || d.state === "arrived" ? (
                <Button
                  data-testid="download-cancel"
                  onClick={() => void app.ask("BrowserAPI.CancelDownload", pane.id, d.id)}
                >
                  Cancel
                </Button>
              ) : null}
              {d.state === "downloaded" ? <Saved pane={pane} download={d} /> : null}
              {d.state === "canceled" && /^https?:/.test(d.url) ? (
                <Button data-testid="download-again" onClick={() => void app.ask("BrowserAPI.Save", pane.id, d.url)}>
                  Try again
                </Button>
              ) : null}
            </div>
          </li>
        ))}
        {earlier.length > 0 ? (
          <li className="flex items-center justify-between border-t border-border px-2 pt-1 text-xs">
            <h3 className="text-2xs font-semibold text-text-faint uppercase">Earlier</h3>
            <Button look="quiet" data-testid="downloads-clear" onClick={() => void forget("")}>
              Clear list
            </Button>
          </li>
        ) : null}
        {[...earlier].reverse().map((d) => (
          <li key={d.id} className="rounded-sm p-2 text-xs" data-testid="earlier-download" data-name={d.name}>
            <div className="flex items-center gap-1">
              <p className="selectable min-w-0 flex-1 truncate font-medium" title={d.path}>
                {d.name}
              </p>
              <IconButton
                label={`Remove ${d.name} from the list`}
                data-testid="download-forget"
                className="size-6 text-text-faint"
                onClick={() => void forget(d.id)}
              >
                <CloseIcon size={11} />
              </IconButton>
            </div>
            <p className="text-2xs text-text-faint">{progress(d)}</p>
            <Saved pane={pane} download={d} />
          </li>
        ))}
      </ul>
    </Popover>
  );
}
