import { useAppState } from "@/store/context";
import { Button } from "@/ui/button";

/** Reports that the screen is not current, and what to do. */
export function ConnectionBanner() {
  const link = useAppState((s) => s.link);
  if (link === "login") {
    return (
      <div
        role="alert"
        data-testid="login-again"
        className="flex h-9 shrink-0 items-center gap-3 bg-warn-bg px-4 text-xs text-warn"
      >
        Your session has ended.
        <Button data-testid="login-again-button" onClick={() => location.reload()}>
          Log in again
        </Button>
      </div>
    );
  }
  if (link === "down") {
    return (
      <div
        role="status"
        data-testid="link-down"
        className="flex h-7 shrink-0 items-center gap-2 bg-warn-bg px-4 text-xs text-warn"
      >
        <span className="breathe size-1.5 rounded-full bg-current" />
        The connection to Goalpost was lost. Reconnecting… Goals keep running.
      </div>
    );
  }
  return null;
}
