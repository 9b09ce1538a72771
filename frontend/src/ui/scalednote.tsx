import { Button } from "@/ui/button";
import { ZoomIcon } from "@/ui/icons";

interface ScaledProps {
  /** The size of the pane, such as "1280 × 800". */
  size: string;
  /** How much smaller it is drawn, below 1. */
  scale: number;
  /** Whether it is the agent's, whose size nobody changes. */
  agents: boolean;
  /** Gives the pane the size of this window; absent where acting in the window does so. */
  onFit?: (() => void) | undefined;
}

/** The line below a pane that is drawn smaller than it is. */
export function ScaledNote({ size, scale, agents, onFit }: ScaledProps) {
  return (
    <div
      className="flex min-h-6 shrink-0 items-center gap-2 border-t border-border px-3 text-2xs text-text-faint"
      data-testid="pane-scaled"
    >
      <ZoomIcon size={11} className="shrink-0" />
      <span className="truncate">
        {size}, scaled {Math.round(scale * 100)} %
      </span>
      <span className="flex-1" />
      {agents ? <span className="truncate">The agent’s pane keeps this size</span> : null}
      {!agents && onFit ? (
        <Button look="quiet" className="max-[640px]:min-h-11" onClick={onFit}>
          Fit to this screen
        </Button>
      ) : null}
    </div>
  );
}
