// What a picture must not show. The host knows the secrets and this world the places:
// it tells every text of the page in pieces, and on each frame until the picture is
// taken notes where those lie that the host names. Nothing here alters the page.
(() => {
  const { below, inner, shadowOf, foreign } = goalpost.parts;
  const SILENT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'DATALIST']);
  const MOST = 4 << 20; // characters that may come and go while one picture is taken
  const WATCH = { subtree: true, childList: true, characterData: true, characterDataOldValue: true, attributes: true, attributeOldValue: true, attributeFilter: ['value', 'placeholder', 'alt', 'label'] };

  const ids = new WeakMap(); // of what holds a text: a text node, or below zero an element, which is watched whole
  let lastId = 0;
  const idOf = (n) => {
    if (!ids.has(n)) ids.set(n, ++lastId * (n.nodeType === 3 ? 1 : -1));
    return ids.get(n);
  };
  const made = (el, which) => {
    const { content } = getComputedStyle(el, which);
    if (content === 'none' || content === 'normal') return '';
    return content.includes('attr(') ? [...el.attributes].map((a) => a.value).join('') : content.replace(/^"|"$|" "|\\(?=["\\])/g, '');
  };
  // fieldOf is what a field or a picture writes on the page by itself.
  const fieldOf = (el) => {
    switch (el.tagName) {
      case 'INPUT':
        if (['hidden', 'password', 'checkbox', 'radio', 'range', 'color', 'image'].includes(el.type) || getComputedStyle(el).webkitTextSecurity !== 'none') return '';
        return el.value || el.placeholder;
      case 'TEXTAREA':
        return getComputedStyle(el).webkitTextSecurity === 'none' ? el.value || el.placeholder : '';
      case 'SELECT':
        return [...el.querySelectorAll('option, optgroup')].map((o) => o.label).join('');
      case 'IMG':
        return el.complete && el.naturalWidth > 0 ? '' : el.alt;
    }
    return null;
  };
  const holds = (el) => el.tagName === 'IFRAME' || el.tagName === 'FRAME' || el.tagName === 'EMBED' || el.tagName === 'FENCEDFRAME' || (el.tagName === 'OBJECT' && el.contentWindow);
  const numberOf = (el) => {
    for (const [number, held] of foreign) if (held.deref() === el) return number;
    return 0;
  };

  let pieces = []; // that were told last: what holds each, and its text
  // gather tells the texts in the order of the document. What a frame of the same
  // process holds counts as the frame's; of others the frames are told.
  const gather = () => {
    pieces = [];
    const frames = [];
    const roots = [document];
    const say = (node, text) => text && pieces.push({ node, text });
    const walk = (n, frame) => {
      if (n.nodeType === 3) return say(frame ?? n, n.data);
      if (n.nodeType !== 1 || SILENT.has(n.tagName)) return;
      const field = fieldOf(n);
      if (field !== null) return say(frame ?? n, field);
      if (holds(n)) {
        const doc = n.tagName === 'EMBED' ? null : inner(n);
        if (!doc) return frames.push({ id: idOf(frame ?? n), number: frame ? 0 : numberOf(n), node: frame ?? n });
        roots.push(doc);
        return walk(doc.documentElement, frame ?? n);
      }
      const shadow = shadowOf(n);
      if (shadow) roots.push(shadow);
      say(frame ?? n, made(n, '::before'));
      for (const c of below(n)) walk(c, frame);
      say(frame ?? n, made(n, '::after'));
    };
    walk(document.documentElement, null);
    told = frames;
    return { roots, ids: pieces.map((p) => idOf(p.node)), texts: pieces.map((p) => p.text), frames: frames.map(({ id, number }) => ({ id, number })) };
  };
  let told = []; // the frames among them

  // What comes and goes between two looks.
  let records = [];
  let come = null; // closed shadow roots that the host found
  const { adopt } = goalpost;
  goalpost.adopt = (root) => {
    const fresh = adopt(root);
    if (fresh) come?.push(root);
    return fresh;
  };
  const passing = new MutationObserver((list) => (records = records.concat(list)));
  const passed = (watched) => {
    records = records.concat(passing.takeRecords());
    const texts = new Set();
    let size = 0;
    const add = (text) => {
      if (text && !texts.has(text) && (size += text.length) <= MOST) texts.add(text);
    };
    const rest = (n) => (watched.has(n) ? '' : n.nodeType === 3 ? n.data : [...(shadowOf(n)?.childNodes ?? []), ...n.childNodes].map(rest).join(''));
    for (const root of come ?? []) add(rest(root));
    for (const r of records) {
      if (r.type === 'childList') for (const list of [r.removedNodes, r.addedNodes]) add([...list].map(rest).join(''));
      else if (!watched.has(r.target)) add(r.oldValue), add(r.type === 'attributes' ? r.target.getAttribute(r.attributeName) : r.target.data);
    }
    return { texts: [...texts], lost: size > MOST };
  };
  const texts = async () => {
    // What its last picture shows may be gone from it. One that is out of view draws none.
    if (goalpostPart) await Promise.race([new Promise(requestAnimationFrame), new Promise((r) => setTimeout(r, 100))]);
    end();
    const { roots, ...out } = gather();
    for (const root of roots) passing.observe(root, WATCH);
    come = [];
    return out;
  };

  let spots = [];
  let running = 0;
  const boxesOf = ({ node, from, to, text }) => {
    if (node.nodeType === 1) return [node.getBoundingClientRect()];
    const range = node.ownerDocument.createRange();
    if (node.data === text) range.setStart(node, from), range.setEnd(node, to);
    else range.selectNodeContents(node);
    return [...range.getClientRects()];
  };
  const join = (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
  // sample keeps, of each place, all of what it took since the first one.
  const sample = (whole) => {
    const dx = whole ? scrollX : 0;
    const dy = whole ? scrollY : 0;
    for (const spot of spots) {
      const now = boxesOf(spot).filter((r) => r.width > 0 && r.height > 0).map((r) => [r.left + dx, r.top + dy, r.right + dx, r.bottom + dy]);
      if (!now.length) continue;
      if (spot.boxes.length === now.length) spot.boxes = now.map((b, i) => join(b, spot.boxes[i]));
      else spot.boxes = spot.boxes.length ? [[...spot.boxes, ...now].reduce(join)] : now;
    }
  };
  // watch begins: places are pieces with the part that matters, and frames.
  const watch = (places, hidden, whole) => {
    spots = places.map(([i, from, to]) => ({ ...pieces[i], from, to, boxes: [] }));
    for (const { id, node } of told) if (hidden.includes(id)) spots.push({ node, boxes: [] });
    const run = ++running;
    const each = () => {
      if (run !== running) return;
      sample(whole); // as the page's timers left it
      setTimeout(() => run === running && sample(whole)); // and as what runs in a frame did
      requestAnimationFrame(each);
    };
    sample(whole);
    if (spots.length) requestAnimationFrame(each);
    return true;
  };
  // shown ends it and tells what was seen, and the texts again.
  const shown = (whole) => {
    sample(whole);
    const came = passed(new Set(spots.map((s) => s.node)));
    const boxes = spots.flatMap((s) => s.boxes);
    end();
    const { roots, ...out } = gather();
    return { ...out, boxes, passed: came.texts, lost: came.lost, width: innerWidth };
  };
  const end = () => {
    running++;
    passing.disconnect();
    spots = [];
    records = [];
    come = null;
    return true;
  };
  goalpost.also({ texts, watch, shown, unwatch: end });
})();
