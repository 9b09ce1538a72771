import type { StepRow } from "@/bridge/types";

const failedRun = [
  '<output from="the command">',
  "> shop@2.3.0 test",
  "> vitest run cart",
  "",
  " FAIL  src/cart.test.ts › total with two items",
  "AssertionError: expected 3, got 2",
  "  at src/cart.test.ts:23:18",
  " 1 failed | 11 passed (12)",
  "</output>",
].join("\n");

const edited = [
  "changed src/cart.ts at line 14",
  '<output from="the change of src/cart.ts">',
  "@@ -12,7 +12,10 @@",
  " export function total(items: Item[]): number {",
  "   let total = 0;",
  "   for (const item of items) {",
  "-    total += item.price;",
  "+    // An item counts as often as it is in the cart.",
  "+    const quantity = Math.max(1, item.quantity);",
  "+    total += item.price * quantity;",
  "   }",
  "   return total;",
  " }",
  "</output>",
].join("\n");

/** The result of a fake step. */
export function stepResult(step: Pick<StepRow, "tool" | "preview" | "outcome">): string {
  if (step.tool === "run_command" && step.outcome === "failed") return `exit 1\n${failedRun}`;
  if (step.tool === "edit_file" && step.outcome === "ok") return edited;
  return `${step.preview}\n<b>markup stays text</b>`;
}

/** A page with a button, for the step that clicked it. */
export const clickedPage =
  "data:image/svg+xml;base64," +
  btoa(
    '<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="480" font-family="sans-serif">' +
      '<rect width="1024" height="480" fill="#fff"/><text x="48" y="80" font-size="34" font-weight="700">Your cart</text>' +
      '<rect x="48" y="120" width="928" height="90" rx="12" fill="none" stroke="#d5d9e2"/>' +
      '<text x="80" y="172" font-size="22">1993 Foil, near mint</text><text x="860" y="172" font-size="22">$42.00</text>' +
      '<rect x="796" y="270" width="180" height="56" rx="10" fill="#2f5fe0"/>' +
      '<text x="832" y="305" font-size="20" fill="#fff">Check out</text></svg>',
  );
