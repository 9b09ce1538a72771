// Runs in an isolated world of every document, before its own scripts: tells
// the host the title, which Chromium reports only at navigations. A title that
// changes all the time is told five times a second.
(() => {
  if (self !== top) return;
  let last = '';
  let waiting = false;
  const tell = () => {
    const title = document.title.slice(0, 300);
    if (title === last || waiting) return;
    last = title;
    goalpostTitle(title);
    waiting = true;
    setTimeout(() => {
      waiting = false;
      tell();
    }, 200);
  };
  const begin = () => {
    tell();
    if (document.head) {
      new MutationObserver(tell).observe(document.head, { subtree: true, childList: true, characterData: true });
    }
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
})();
