import type { ApprovalView, OfferView } from "@/bridge/types";
import { clip, stripControl } from "@/lib/text";

/** Returns the widest answer that covers the goal, if there is one. */
export function goalOffer(a: ApprovalView): OfferView | undefined {
  return (a.offers ?? []).find((o) => o.scope !== "once");
}

/** Returns the label of an answer that covers the goal. */
export function goalOfferLabel(a: ApprovalView, offer: OfferView): string {
  const only = (list: string[] | null) => (list?.length === 1 ? (list[0] ?? "") : "");
  const host = only(a.hosts);
  const file = only(a.paths).split("/").pop() ?? "";
  if (offer.scope === "host" && host) return stripControl(`Allow ${clip(host, 32)} for this goal`);
  if (offer.scope === "path" && file) return stripControl(`Allow writing ${clip(file, 24)} for this goal`);
  if (offer.scope === "command") return "Allow this command for this goal";
  return "Allow for this goal";
}
