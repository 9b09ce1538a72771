import { clock } from "@/lib/time";
import { stripControl } from "@/lib/text";
import { useAppState } from "@/store/context";
import { SparkIcon } from "@/ui/icons";
import { useNow } from "@/ui/usenow";

/** An answer that comes sooner needs no words. */
const quiet = 10_000;
/** A user wonders whether anything still happens. */
const long = 60_000;

/** What a running goal waits for while its model sends nothing; nothing while anything else happens. */
export function SilentTurn({ className }: { className: string }) {
  const view = useAppState((s) => s.detail.view);
  const since = useAppState((s) => s.detail.journal.turnSince);
  const limit = useAppState((s) => s.settings?.silence_minutes ?? 0);
  const waits = view?.status === "running" && since !== "" && (view.asks ?? 0) === 0;
  const now = useNow(waits);
  const ms = now - Date.parse(since);
  if (!view || !waits || !(ms >= quiet)) return null;
  return (
    <div className={className} data-testid="silent-turn">
      <SparkIcon size={14} className="breathe mt-[3px] shrink-0 text-agent" />
      <p className="min-w-0 text-xs leading-5 text-text-faint">
        Waiting for {stripControl(view.model || view.provider)} to answer · {clock(ms)}
        {ms >= long && limit > 0 ? `. After ${limit} min without a word, Goalpost asks again.` : ""}
      </p>
    </div>
  );
}
