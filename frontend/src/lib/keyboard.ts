/**
 * Gives a pane the keyboard as soon as it can have it: what is not laid out yet
 * takes none, and says nothing. Who has gone elsewhere stays there. Ends
 * with what is returned.
 */
export function focusElement(host: HTMLElement, focus: () => void): () => void {
  const before = document.activeElement;
  focus();
  if (host.contains(document.activeElement)) return () => undefined;
  const laidOut = new ResizeObserver(() => {
    if (document.activeElement === before) focus();
    if (document.activeElement !== before) laidOut.disconnect();
  });
  laidOut.observe(host);
  return () => laidOut.disconnect();
}
