import type { Provider } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import type { AdvancedProps } from "./advancedprops";
import { DraftInput } from "./draftinput";
import { dollars, minutes } from "./formats";

/** The limits of time and money. Their error is below them. */
export function TimeAndMoney({ draft, set, errors }: AdvancedProps) {
  const limit = { draft, set, errors, placeholder: "no limit", error: errors.limits && { message: "", hint: "" } };
  return (
    <div>
      <div className="grid grid-cols-[110px_110px] gap-3">
        <DraftInput {...limit} as={minutes} name="wall_clock_ms" testid="minutes" label="Time" note="min" />
        <DraftInput {...limit} as={dollars} name="usd" label="Money" note="$" />
      </div>
      {errors.limits ? (
        <p role="alert" data-testid="error-limits" className="mt-1 text-xs text-bad">
          {errors.limits.message} <span className="text-text-muted">· {errors.limits.hint}</span>
        </p>
      ) : null}
    </div>
  );
}

interface SpendWarningsProps extends Pick<AdvancedProps, "draft"> {
  /** The provider that the goal will use. */
  chosen: Provider | undefined;
}

/** Why a limit of money has no effect, or keeps the goal from beginning. */
export function SpendWarnings({ draft, chosen }: SpendWarningsProps) {
  const daily = useAppState((s) => s.settings?.daily_limit_usd ?? 0);
  const { answer: today } = useCall("SpendAPI.Today");
  return (
    <>
      {(draft.usd > 0 || daily > 0) && chosen && !chosen.has_price ? (
        <p data-testid="field-no-price" className="mt-1.5 text-xs text-warn">
          No price is known for {chosen.model || chosen.id}:{" "}
          {draft.usd > 0 ? "this limit" : `the daily limit of ${money(daily)}`} cannot be enforced. Also set a token
          limit under More options.
        </p>
      ) : null}
      {today && today.limit_usd > 0 && today.usd >= today.limit_usd && !chosen?.scripted ? (
        <p data-testid="field-daily-limit" className="mt-1.5 text-xs text-warn">
          Today&apos;s limit of {money(today.limit_usd)} is reached. The goal waits until tomorrow, or until you raise
          it in Settings › Spending.
        </p>
      ) : null}
    </>
  );
}
