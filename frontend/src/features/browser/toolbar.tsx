import { useState, type Ref } from "react";
import type { PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { IconButton } from "@/ui/button";
import { BackIcon, CloseIcon, ForwardIcon, ReloadIcon } from "@/ui/icons";

interface ToolbarProps {
  pane: PaneInfo;
  address: Ref<HTMLInputElement>;
  /** The page takes the keyboard after an address was entered. */
  onEntered: () => void;
}

/** Back, forward, reload and the address. */
export function Toolbar({ pane, address, onEntered }: ToolbarProps) {
  const app = useApp();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = pane.url === "about:blank" ? "" : pane.url;

  const enter = async (text: string) => {
    setTyped(null);
    onEntered();
    await app.ask("BrowserAPI.Navigate", pane.id, text);
  };

  return (
    <div className="flex h-9 shrink-0 items-center gap-0.5 border-b border-line bg-s1 px-1.5">
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
        <IconButton label="Stop" data-testid="browser-stop" onClick={() => void app.ask("BrowserAPI.Stop", pane.id)}>
          <CloseIcon size={15} />
        </IconButton>
      ) : (
        <IconButton
          label="Reload"
          data-testid="browser-reload"
          onClick={() => void app.ask("BrowserAPI.Reload", pane.id)}
        >
          <ReloadIcon size={15} />
        </IconButton>
      )}
      <div className="relative ml-1 min-w-0 flex-1">
        <input
          ref={address}
          data-testid="browser-address"
          aria-label="Address"
          spellCheck={false}
          autoComplete="off"
          placeholder="Enter an address, such as localhost:8080"
          className="h-[26px] w-full rounded-full border border-transparent bg-s3 px-3 text-xs text-t1 outline-none focus:border-accent focus:bg-bg"
          value={typed ?? shown}
          onChange={(e) => setTyped(e.target.value)}
          onFocus={(e) => e.target.select()}
          onBlur={() => setTyped(null)}
          onKeyDown={(e) => {
            const text = e.currentTarget.value.trim();
            if (e.code === "Enter" && text) void enter(text);
            if (e.code === "Escape") {
              setTyped(null);
              onEntered();
            }
          }}
        />
        {pane.loading ? (
          <span aria-hidden className="breathe absolute inset-x-3 bottom-0 h-0.5 rounded-full bg-accent" />
        ) : null}
      </div>
    </div>
  );
}
