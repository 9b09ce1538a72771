/** The status of a goal as a word, for one line of the palette. */
export function standingWords(status: string, exit: string): string {
  const word = status === "running" || status === "pending" ? status : exit || status;
  return word.replace("_", " ");
}
