// What the host does to a page besides the agent's acts: zoom, and finding text.
// It joins goalpostHand of watch.js, in the isolated world.
if (!globalThis.goalpostHand.find) Object.assign(globalThis.goalpostHand, (() => {
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

  const MOST = 2000;
  const BLOCKS = 'p,div,li,ul,ol,dl,dt,dd,td,th,tr,table,h1,h2,h3,h4,h5,h6,section,article,header,footer,main,nav,aside,form,fieldset,pre,blockquote,figure,figcaption,button,option,label,body';
  let found = { query: '', ranges: [], at: -1 };
  let sheet = null;

  const search = (query) => {
    const nodes = [];
    let all = '';
    let block = null;
    const walk = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT);
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      const parent = n.parentElement;
      if (!parent || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'OPTION'].includes(parent.tagName)) continue;
      if (!/\S/.test(n.data) || !parent.checkVisibility({ visibilityProperty: true })) continue;
      const own = parent.closest(BLOCKS);
      if (own !== block) all += '\n';
      block = own;
      nodes.push({ n, at: all.length });
      all += n.data.replace(/\s/g, ' ');
    }
    const place = (i, end) => {
      let low = 0;
      let high = nodes.length - 1;
      while (low < high) {
        const mid = (low + high + 1) >> 1;
        if (nodes[mid].at <= (end ? i - 1 : i)) low = mid;
        else high = mid - 1;
      }
      return [nodes[low].n, Math.min(i - nodes[low].at, nodes[low].n.data.length)];
    };
    const text = all.toLowerCase();
    const want = query.toLowerCase();
    const ranges = [];
    for (let i = text.indexOf(want); i >= 0 && ranges.length < MOST; i = text.indexOf(want, i + want.length)) {
      const range = document.createRange();
      range.setStart(...place(i, false));
      range.setEnd(...place(i + want.length, true));
      ranges.push(range);
    }
    return ranges;
  };
  const paint = () => {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync('::highlight(goalpost-found){background:#ffe066;color:#000}::highlight(goalpost-here){background:#ff8a1f;color:#000}');
    }
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    CSS.highlights.set('goalpost-found', new Highlight(...found.ranges));
    CSS.highlights.set('goalpost-here', new Highlight(...(found.ranges[found.at] ? [found.ranges[found.at]] : [])));
  };
  // find marks what is found and shows the match that is step further than the last one.
  const find = (query, step) => {
    if (!query) {
      found = { query: '', ranges: [], at: -1 };
      CSS.highlights.delete('goalpost-found');
      CSS.highlights.delete('goalpost-here');
      if (sheet) document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== sheet);
      return { index: 0, count: 0 };
    }
    const same = query === found.query;
    const ranges = search(query);
    let at = ranges.length ? 0 : -1;
    if (ranges.length && same && found.at >= 0) at = (found.at + step + ranges.length) % ranges.length;
    else if (ranges.length && !same) {
      const seen = ranges.findIndex((r) => r.getBoundingClientRect().top >= 0);
      at = Math.max(0, seen);
    }
    found = { query, ranges, at };
    paint();
    const here = ranges[at];
    if (here) {
      const r = here.getBoundingClientRect();
      if (r.top < 0 || r.bottom > innerHeight || r.left < 0 || r.right > innerWidth) {
        here.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      }
    }
    return { index: at + 1, count: ranges.length };
  };
  return { zoom, find };
})());
