// What the host does to a page besides the agent's acts: zoom.
// It joins goalpostHand of userprompts.js, in the isolated world.
if (!globalThis.goalpostHand.zoom) Object.assign(globalThis.goalpostHand, (() => {
  const zoom = (factor) => {
    const set = () => { document.documentElement.style.zoom = factor === 1 ? '' : String(factor); };
    if (document.documentElement) set();
    else {
      const watch = new MutationObserver(() => {
        if (!document.documentElement) return;
        watch.disconnect();
        set();
      });
      watch.observe(document, { childList: true });
    }
    return true;
  };
  return { zoom };
})());
