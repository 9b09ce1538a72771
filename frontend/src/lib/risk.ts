/** The risk levels in words, as the New goal dialog names them. */
const riskLabels: Record<string, string> = {
  read_only: "read only",
  write_local: "change files",
  network_get: "read the web",
  network_write: "send to the web",
  spends_money: "make purchases",
};

/** A risk level in words; a level of a newer version keeps its name. */
export function riskLabel(risk: string): string {
  return riskLabels[risk] ?? risk.replaceAll("_", " ");
}
