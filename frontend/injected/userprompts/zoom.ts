/** zoomPage zooms the document, now or as soon as it has a root element. */
export function zoomPage(factor: number): true {
  const apply = () => {
    const root = document.documentElement as HTMLElement | null;
    if (root) root.style.zoom = factor === 1 ? "" : String(factor);
    return root !== null;
  };
  if (apply()) return true;
  const observer = new MutationObserver(() => {
    if (apply()) observer.disconnect();
  });
  observer.observe(document, { childList: true });
  return true;
}
