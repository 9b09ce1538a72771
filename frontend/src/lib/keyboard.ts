/**
 * Focuses a pane as soon as possible: an element without a layout cannot take the focus and reports nothing. It does
 * nothing if the user has moved the focus in the meantime. The returned function cancels it.
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
