import type { CheckOutcome } from "@/bridge/types";
import { toneText } from "@/ui/badge";
import { CheckIcon, CrossIcon, RingIcon, WarnIcon } from "@/ui/icons";
import { checkLabel } from "./labels";

/** A check's outcome as a shape and a colour, with its text for screen readers. */
export function OutcomeIcon({ outcome, size = 14 }: { outcome: CheckOutcome; size?: number }) {
  const said = checkLabel(outcome);
  const Icon = outcome === "pass" ? CheckIcon : outcome === "" ? RingIcon : outcome === "error" ? WarnIcon : CrossIcon;
  return (
    <span className={`inline-flex shrink-0 ${toneText[said.tone]}`} title={said.words}>
      <Icon size={size} />
      <span className="sr-only">{said.words}</span>
    </span>
  );
}
