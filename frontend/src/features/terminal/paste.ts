/** Text for a paste without control characters, with which it could end the paste itself and run what follows. */
export function pasteable(text: string): string {
  return text.replace(/(?![\t\n\r])\p{Cc}/gu, "");
}
