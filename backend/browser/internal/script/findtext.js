// Finds text for the user: in the document, in its shadow roots, in the frames of its
// process, and in what is in fields. It is on snapshot.js and runs in the same
// world. It alters nothing but highlights, which pages can see, and what is in view.
if (!goalpost.sought) (() => {
  const { below, drawn, seen, inner, above, foreign, Miss } = goalpost.parts;
  const NODES = 200000; // nodes looked at
  const DEPTH = 1000; // of elements within each other
  const FIELDS = 100; // fields that the host is asked to open
  const BLOCKS =
    'p,div,li,ul,ol,dl,dt,dd,td,th,tr,table,h1,h2,h3,h4,h5,h6,section,article,header,footer,main,nav,aside,form,fieldset,pre,blockquote,figure,figcaption,button,option,label,body';
  const SKIP = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'OPTION', 'HEAD', 'SELECT']);
  const WRITTEN = new Set(['text', 'search', 'url', 'email', 'tel', 'number', 'button', 'submit', 'reset']);
  const CSS_TEXT = '::highlight(goalpost-found){background:#ffe066;color:#000}::highlight(goalpost-here){background:#ff8a1f;color:#000}';
  const opened = new WeakMap(); // fields: the roots in which Chromium keeps their text
  const sheets = new Map(); // documents with highlights: their style sheet
  let ranges = [];
  let fields = []; // that hold the words and are not opened

  // The same number of characters, so that a place in one is the place in the other.
  const fold = (s) => {
    const low = s.toLowerCase();
    return low.length === s.length ? low : Array.from(s, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join('');
  };
  const isField = (el) => el.tagName === 'TEXTAREA' || (el.tagName === 'INPUT' && WRITTEN.has(el.type));

  // texts gives the text nodes that are drawn, each with what it is a line of.
  const texts = (want) => {
    const list = [];
    let budget = NODES;
    const add = (n, block) => list.push({ n, block });
    const inField = (el) => {
      const root = opened.get(el);
      if (!root) {
        if (fields.length < FIELDS && fold(el.value).includes(want)) fields.push(el);
        return;
      }
      const walk = el.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let n = walk.nextNode(); n; n = walk.nextNode()) add(n, root);
    };
    const go = (n, depth) => {
      if (--budget < 0 || depth > DEPTH) return;
      if (n.nodeType === 3) {
        const parent = n.parentElement ?? n.getRootNode().host;
        if (parent && /\S/.test(n.data) && seen(parent)) add(n, n.parentElement?.closest(BLOCKS) ?? n.getRootNode());
        return;
      }
      if (n.nodeType !== 1 || SKIP.has(n.tagName) || !drawn(n)) return;
      if (isField(n)) {
        if (seen(n)) inField(n);
        return;
      }
      if (n.tagName === 'TEXTAREA' || n.tagName === 'INPUT') return;
      const doc = n.tagName === 'IFRAME' || n.tagName === 'FRAME' ? inner(n) : null;
      if (doc) go(doc.body ?? doc.documentElement, depth + 1);
      for (const c of below(n)) go(c, depth + 1);
    };
    go(document.body ?? document.documentElement, 0);
    return list;
  };

  const search = (query, most) => {
    const want = fold(query);
    const nodes = [];
    fields = [];
    let all = '';
    let block = null;
    for (const { n, block: own } of texts(want)) {
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
    const text = fold(all);
    const found = [];
    for (let i = text.indexOf(want); i >= 0 && found.length < most; i = text.indexOf(want, i + want.length)) {
      const [node, at] = place(i, false);
      const range = node.ownerDocument.createRange();
      range.setStart(node, at);
      range.setEnd(...place(i + want.length, true));
      found.push(range);
    }
    return found;
  };

  const viewOf = (range) => range.startContainer.ownerDocument.defaultView;
  // boxOf is where a range is in this frame of another site, or in the page.
  const boxOf = (range) => {
    const r = range.getBoundingClientRect();
    const box = { x: r.x, y: r.y, width: r.width, height: r.height };
    for (let view = viewOf(range); view && view !== window; view = view.parent) outwards(box, view.frameElement);
    return box;
  };
  const outwards = (box, holder) => {
    const r = holder.getBoundingClientRect();
    const scale = r.width / holder.offsetWidth || 1; // a page that is zoomed zooms its frames
    const style = getComputedStyle(holder);
    box.x = r.x + (box.x + holder.clientLeft + parseFloat(style.paddingLeft)) * scale;
    box.y = r.y + (box.y + holder.clientTop + parseFloat(style.paddingTop)) * scale;
    box.width *= scale;
    box.height *= scale;
  };

  const paint = (here) => {
    const docs = new Map([...sheets.keys()].map((doc) => [doc, []]));
    for (const range of ranges) {
      const doc = range.startContainer.ownerDocument;
      if (!docs.has(doc)) docs.set(doc, []);
      docs.get(doc).push(range);
    }
    for (const [doc, list] of docs) {
      const view = doc.defaultView;
      const sheet = sheets.get(doc);
      if (!view || list.length === 0) {
        sheets.delete(doc);
        view?.CSS.highlights.delete('goalpost-found');
        view?.CSS.highlights.delete('goalpost-here');
        doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((s) => s !== sheet);
        continue;
      }
      if (!sheet) {
        const made = new view.CSSStyleSheet();
        made.replaceSync(CSS_TEXT);
        sheets.set(doc, made);
        doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, made];
      }
      const front = new view.Highlight(...list.filter((r) => r === here));
      front.priority = 1;
      view.CSS.highlights.set('goalpost-found', new view.Highlight(...list));
      view.CSS.highlights.set('goalpost-here', front);
    }
  };

  // astray is how far what lies from low to high must go to be between two borders.
  const astray = (low, high, from, to) => (low >= from && high <= to ? 0 : (low + high - from - to) / 2);
  // reveal scrolls whatever has to be scrolled for what is at a place within an element
  // to be in view; boxIn says where it is now, in the element's document.
  const reveal = (start, boxIn) => {
    const doc = start.ownerDocument;
    const view = doc.defaultView;
    for (let el = start; el && el.nodeType === 1; el = above(el)) {
      if (el === doc.scrollingElement || (el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1)) continue;
      const style = view.getComputedStyle(el);
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const outer = el.getBoundingClientRect();
      const at = boxIn();
      const scale = outer.width / el.offsetWidth || 1; // a zoomed element counts in pixels of its own
      const left = outer.x + el.clientLeft * scale;
      const top = outer.y + el.clientTop * scale;
      el.scrollBy({
        left: astray(at.x, at.x + at.width, left, left + el.clientWidth * scale) / scale,
        top: astray(at.y, at.y + at.height, top, top + el.clientHeight * scale) / scale,
        behavior: 'instant',
      });
    }
    for (let tries = 0; tries < 3; tries++) { // and so does a zoomed page
      const at = boxIn();
      const left = astray(at.x, at.x + at.width, 0, view.innerWidth);
      const top = astray(at.y, at.y + at.height, 0, view.innerHeight);
      if (!left && !top) break;
      view.scrollBy({ left, top, behavior: 'instant' });
    }
    if (view === window) return;
    const holder = view.frameElement;
    reveal(holder, () => {
      const at = boxIn();
      const box = { x: at.x, y: at.y, width: at.width, height: at.height };
      outwards(box, holder);
      return box;
    });
  };

  // findText looks for words. first is the match to begin with: the first that is not above
  // what is in view.
  const findText = (query, most) => {
    ranges = search(query, most);
    const first = ranges.findIndex((r) => boxOf(r).y >= 0);
    return { count: ranges.length, first: Math.max(first, 0), fields: fields.length };
  };
  // showText marks what was found, and brings one match into view if it is here. It says where.
  const showText = (at) => {
    const here = ranges[at];
    paint(here);
    if (!here) return null;
    const start = here.startContainer;
    reveal(start.parentElement ?? start.getRootNode().host, () => here.getBoundingClientRect());
    return boxOf(here);
  };
  // bringText shows a place of a frame of another site.
  const bringText = (number, inside) => {
    const el = foreign.get(number)?.deref();
    if (!el?.isConnected) throw new Miss('stale', 'the frame');
    const boxIn = () => {
      const box = { ...inside };
      outwards(box, el);
      return box;
    };
    reveal(el, boxIn);
    const box = boxIn();
    for (let view = el.ownerDocument.defaultView; view && view !== window; view = view.parent) outwards(box, view.frameElement);
    return box;
  };
  goalpost.also({ findText, showText, bringText });
  goalpost.sought = {
    closed: () => fields,
    end: () => {
      ranges = fields = [];
      paint();
    },
    open: (root) => opened.set(root.host, root),
  };
})();
