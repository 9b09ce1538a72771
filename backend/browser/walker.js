// The agent's eyes and pointer in a page. It runs in an isolated world: it
// shares the document with the page's scripts and nothing else. Everything it
// reads is hostile text, so whatever the page wrote leaves here in quotes, on
// one line, without characters that turn or hide text; a ref stands before the
// quotes, where no page text can.
globalThis.goalpost ??= (() => {
  const ALL = 1 << 20; // characters of all lines of a snapshot
  const NODES = 60000; // nodes looked at
  const NEAR = 200; // characters of a text in view that a line has; browser_read gives all of it
  const FAR = 80; // and of one that is not, and of the name of what can be used
  const ids = new WeakMap();
  const byRef = new Map();
  const frames = new WeakMap(); // documents inside this one: their numbers
  const foreign = new Map(); // numbers of frames of other sites: their elements
  const part = globalThis.goalpostPart === true; // this document is itself such a frame
  let lastId = 0; // refs of an earlier document must not fit this one: the host says where to begin
  let lastFrame = 0;

  const tidy = (s, limit) => {
    s = String(s);
    if (s.length <= limit && !/[^ -~]| {2}|^ | $/.test(s)) return s; // as most are
    s = String(s).slice(0, limit * 4).toWellFormed();
    s = s.replace(/\p{Cf}/gu, '').replace(/[\s\p{Cc}]+/gu, ' ').trim();
    return s.length > limit ? s.slice(0, limit).toWellFormed() + '…' : s;
  };
  const quote = (s, limit = 160) => JSON.stringify(tidy(s, limit));

  const ref = (el) => {
    let id = ids.get(el);
    if (!id) {
      const doc = el.ownerDocument;
      const inside = part || doc !== document;
      if (inside && !frames.has(doc)) frames.set(doc, ++lastFrame);
      id = (inside ? 'f' + frames.get(doc) : '') + 'e' + ++lastId;
      ids.set(el, id);
      byRef.set(id, new WeakRef(el));
    }
    return id;
  };

  // What the elements are.

  const TAGS = {
    BUTTON: 'button', TEXTAREA: 'textbox', SUMMARY: 'button', IMG: 'img', NAV: 'navigation', MAIN: 'main', DIALOG: 'dialog',
    FORM: 'form', TABLE: 'table', IFRAME: 'iframe', CANVAS: 'canvas', VIDEO: 'video', AUDIO: 'audio', PROGRESS: 'progressbar',
    METER: 'meter', H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', H5: 'heading', H6: 'heading', FRAME: 'iframe',
  };
  const INPUTS = {
    checkbox: 'checkbox', radio: 'radio', button: 'button', submit: 'button', reset: 'button', image: 'button', range: 'slider',
    number: 'spinbutton', search: 'searchbox', file: 'file input', color: 'color input', date: 'date input', time: 'time input',
    month: 'month input', week: 'week input', 'datetime-local': 'datetime-local input', hidden: '',
  };
  const ACTS = new Set([
    'button', 'link', 'textbox', 'searchbox', 'combobox', 'listbox', 'option', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton',
    'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'gridcell', 'clickable',
  ]);
  const NAMED_BY_TEXT = new Set([
    'button', 'link', 'option', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem',
    'gridcell', 'heading', 'clickable', 'tooltip',
  ]);
  const PICTURES = new Set(['img', 'canvas', 'video', 'audio', 'progressbar', 'meter']);
  const GROUPS = new Set(['navigation', 'main', 'dialog', 'alertdialog', 'alert', 'form', 'table', 'iframe', 'status', 'search']);
  const SKIP = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'OPTION', 'OPTGROUP', 'DATALIST']);
  const INLINE = new Set([
    'A', 'SPAN', 'B', 'I', 'EM', 'STRONG', 'SMALL', 'CODE', 'SUB', 'SUP', 'LABEL', 'MARK', 'ABBR', 'TIME', 'U', 'S', 'CITE', 'Q',
    'KBD', 'VAR', 'SAMP', 'FONT', 'BDI', 'BDO', 'DFN', 'DEL', 'INS', 'SLOT', 'WBR', 'SVG',
  ]);

  const isInput = (el) => el.tagName === 'INPUT';
  const roleOf = (el) => {
    const said = (el.getAttribute('role') || '').trim().split(/\s+/)[0].toLowerCase();
    if (/^[a-z]{2,20}$/.test(said) && said !== 'presentation' && said !== 'none' && said !== 'generic') return said;
    switch (el.tagName) {
      case 'A':
      case 'AREA':
        return el.hasAttribute('href') ? 'link' : '';
      case 'INPUT':
        return INPUTS[el.type] ?? 'textbox';
      case 'SELECT':
        return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    }
    if (el.isContentEditable && !el.parentElement?.isContentEditable) return 'textbox';
    return TAGS[el.tagName] ?? '';
  };
  const pointer = (el) => el.nodeType === 1 && getComputedStyle(el).cursor === 'pointer';
  const clickable = (el) =>
    el.hasAttribute('onclick') || (el.hasAttribute('tabindex') && el.tabIndex >= 0) || (pointer(el) && !pointer(above(el)));

  const closed = new WeakMap(); // hosts of closed shadow roots, which the host of this script finds
  const shadowOf = (el) => meet(el.shadowRoot ?? closed.get(el) ?? null);
  const above = (n) => n.assignedSlot || n.parentElement || (n.getRootNode && n.getRootNode().host) || document;
  const below = (n) => {
    const shadow = shadowOf(n);
    if (shadow) return shadow.childNodes;
    if (n.tagName === 'SLOT') {
      const given = n.assignedNodes();
      if (given.length) return given;
    }
    return n.childNodes;
  };
  const inner = (el) => {
    try {
      return el.contentDocument?.documentElement ? meet(el.contentDocument) : null;
    } catch {
      return null;
    }
  };
  const numberOf = (el) => {
    for (const [number, held] of foreign) if (held.deref() === el) return number;
    return 0;
  };
  const drawn = (el) => el.checkVisibility() || getComputedStyle(el).display === 'contents';
  const seen = (el) => el.checkVisibility({ visibilityProperty: true });
  const hiddenFromReaders = (el) => el.getAttribute('aria-hidden') === 'true';

  // textOf is the text in an element as it is read, up to a length.
  const textOf = (el, limit = 160) => {
    let text = '';
    let budget = 400;
    const go = (n) => {
      if (text.length > limit || --budget < 0) return;
      if (n.nodeType === 3) text += n.data.slice(0, limit * 4);
      else if (n.nodeType === 1 && !SKIP.has(n.tagName) && drawn(n) && !hiddenFromReaders(n)) {
        if (n.tagName === 'IMG') text += ' ' + (n.alt || '') + ' ';
        else if (n.hasAttribute('aria-label') && n !== el) text += ' ' + n.getAttribute('aria-label') + ' ';
        else {
          if (!INLINE.has(n.tagName)) text += ' ';
          for (const c of below(n)) go(c);
          if (!INLINE.has(n.tagName)) text += ' ';
        }
      }
    };
    for (const c of below(el)) go(c);
    return tidy(text, limit);
  };
  const nameOf = (el, role) => {
    const by = (el.getAttribute('aria-labelledby') || '').trim();
    if (by) {
      const root = el.getRootNode();
      const text = by.split(/\s+/).slice(0, 8).map((id) => root.getElementById?.(id)).filter(Boolean).map((n) => textOf(n)).join(' ');
      if (tidy(text, 160)) return tidy(text, 160);
    }
    const label = tidy(el.getAttribute('aria-label') || '', 160);
    if (label) return label;
    if (isInput(el) && ['button', 'submit', 'reset'].includes(el.type)) return tidy(el.value || el.type, 160);
    if (el.labels?.length) {
      const text = tidy([...el.labels].slice(0, 4).map((n) => textOf(n)).join(' '), 160);
      if (text) return text;
    }
    if (el.alt) return tidy(el.alt, 160);
    if (NAMED_BY_TEXT.has(role)) {
      const text = textOf(el);
      if (text) return text;
    }
    return tidy(el.getAttribute('title') || el.getAttribute('placeholder') || '', 160);
  };
  const focused = (() => {
    const deep = (doc) => {
      let el = doc.activeElement;
      while (el) {
        if (shadowOf(el)?.activeElement) el = shadowOf(el).activeElement;
        else if (inner(el)?.activeElement) el = inner(el).activeElement;
        else return el;
      }
      return null;
    };
    return () => deep(document);
  })();

  const statesOf = (el, role, focus) => {
    const out = [];
    const on = (name, word = name) => {
      if (el.getAttribute('aria-' + name) === 'true') out.push(word);
    };
    if (role === 'heading') out.push('level ' + (Number(el.getAttribute('aria-level')) || Number(el.tagName[1]) || 2));
    if (el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true') out.push('disabled');
    if (el.checked === true) out.push('checked');
    else on('checked');
    on('selected');
    on('pressed');
    on('busy');
    if (el.hasAttribute('aria-expanded')) out.push(el.getAttribute('aria-expanded') === 'true' ? 'expanded' : 'collapsed');
    if (el.tagName === 'SUMMARY') out.push(el.parentElement?.open ? 'expanded' : 'collapsed');
    if (el.required === true) out.push('required');
    if (el.readOnly === true && !['checkbox', 'radio', 'button', 'submit'].includes(el.type)) out.push('readonly');
    on('invalid');
    if (el === focus) out.push('focused');
    if (el.tagName === 'SELECT') {
      const options = [...el.options].slice(0, 200);
      out.push('value=' + quote([...el.selectedOptions].map((o) => o.label).join(', '), 120));
      out.push('options: ' + options.slice(0, 12).map((o) => quote(o.label, 40)).join(' | ') + (options.length > 12 ? ' | …' : ''));
    } else if (isInput(el) && el.type === 'password') {
      if (el.value) out.push('filled, value hidden');
    } else if (isInput(el) && el.type === 'file') {
      out.push(el.files.length + ' files');
    } else if ((isInput(el) && !['checkbox', 'radio', 'button', 'submit', 'reset', 'image'].includes(el.type)) || el.tagName === 'TEXTAREA') {
      out.push('value=' + quote(el.value, 200));
    } else if (role === 'textbox') {
      out.push('value=' + quote(textOf(el, 200), 200));
    } else if (el.hasAttribute('aria-valuenow')) {
      out.push('value=' + quote(el.getAttribute('aria-valuenow'), 40));
    } else if (el.tagName === 'PROGRESS' || el.tagName === 'METER') {
      out.push('value=' + el.value + ' of ' + el.max);
    }
    if (role === 'link' && el.href && typeof el.href === 'string' && /^https?:/.test(el.href)) {
      const here = el.href.startsWith(location.origin + '/') ? el.href.slice(location.origin.length) : el.href;
      out.push('-> ' + quote(here, 120));
    }
    return out;
  };

  // collect walks the page as it is drawn, shadow roots and frames of the same
  // origin included, and gives its items in reading order.
  // With view only what may be in view is looked at, which on a long page is little.
  const collect = (view = false, root = document.body || document.documentElement) => {
    const items = [];
    const focus = focused();
    const state = { nodes: 0, cut: false };
    let text = '';
    let owner = null;
    const flush = () => {
      const said = tidy(text, 400).replace(/^(\| ?)+|( ?\|)+$/g, '').trim();
      if (said && owner) {
        const here = !owner.at.out && overlaps(owner.el, owner.at.off);
        items.push({ el: owner.el, off: owner.at.off, here, role: 'text', name: said, acts: false, line: quote(said, here ? NEAR : FAR) });
      }
      text = '';
      owner = null;
    };
    const overlaps = (n, off) => {
      const r = n.getBoundingClientRect();
      const x = r.x + off.x;
      const y = r.y + off.y;
      return x < innerWidth && y < innerHeight && x + r.width > 0 && y + r.height > 0;
    };
    const away = (n, off) => !overlaps(n, off) && n.offsetWidth > 0 && n.offsetHeight > 0;
    // at is what is known from above: where the document lies, whether a name says
    // the text already, whether this is out of view or hidden, and the pointer there.
    const walk = (n, at) => {
      if (state.cut) return;
      if (++state.nodes > NODES) {
        state.cut = true;
        return;
      }
      if (n.nodeType === 3) {
        if (!at.named && /\S/.test(n.data)) {
          if (!at.shown) return;
          owner ??= { el: above(n), at };
          if (text.length < 2000) text += n.data.slice(0, 2000);
        } else if (!at.named) text += ' ';
        return;
      }
      if (n.nodeType !== 1 || SKIP.has(n.tagName) || hiddenFromReaders(n)) return;
      let shown = seen(n);
      if (!shown) {
        if (!drawn(n)) return;
        shown = getComputedStyle(n).display === 'contents' && at.shown;
      }
      const inline = INLINE.has(n.tagName);
      const cell = n.tagName === 'TD' || n.tagName === 'TH';
      let out = at.out;
      if (!inline && !cell && !out) {
        out = away(n, at.off);
        if (out && view) return flush();
      }
      const role = roleOf(n);
      let acts = shown && (ACTS.has(role) || / input$/.test(role));
      let hand = at.hand || acts; // what lies in a link has its pointer
      if (!role) {
        hand = getComputedStyle(n).cursor === 'pointer';
        acts = shown && (n.hasAttribute('onclick') || (hand && !at.hand) || (n.hasAttribute('tabindex') && n.tabIndex >= 0));
      }
      if (cell) text += ' | ';
      else if (!inline) flush();
      let named = at.named;
      if (acts || (role === 'heading' && !named) || (GROUPS.has(role) && shown) || (PICTURES.has(role) && !named)) {
        const kind = role || 'clickable';
        const name = nameOf(n, kind);
        if (acts || name || GROUPS.has(kind)) {
          flush();
          const holds = n.tagName === 'IFRAME' || n.tagName === 'FRAME';
          const doc = holds ? inner(n) : null;
          const parts = [kind];
          if (name) parts.push(quote(name, FAR));
          parts.push(...statesOf(n, kind, focus));
          const number = holds && !doc ? numberOf(n) : 0;
          if (holds && !doc && !number) parts.push('(its content cannot be told yet)');
          const here = !out && overlaps(n, at.off);
          items.push({ el: n, off: at.off, here, role: kind, name, acts, line: (acts ? ref(n) + ' ' : '') + parts.join(' ') });
          // The host puts the frame's own lines in place of this one; no page can write it.
          if (number) items.push({ el: n, off: at.off, here, role: 'frame', name: '', acts: false, line: '\u0001' + number });
          if (doc) {
            const r = n.getBoundingClientRect();
            const off = { x: at.off.x + r.x + n.clientLeft, y: at.off.y + r.y + n.clientTop };
            walk(doc.body || doc.documentElement, { off, named: false, out, shown: true, hand: false });
            flush();
            return;
          }
        }
        if (n.tagName === 'SELECT' || n.tagName === 'TEXTAREA' || (role === 'textbox' && n.isContentEditable)) return;
        named = named || (NAMED_BY_TEXT.has(kind) && name !== '');
      }
      if (n.tagName === 'LABEL' && n.control && n.control.type !== 'hidden') named = true; // its field says it
      const children = below(n);
      if (children.length) {
        const inside = named === at.named && out === at.out && shown === at.shown && hand === at.hand ? at : { off: at.off, named, out, shown, hand };
        for (const c of children) walk(c, inside);
      }
      if (!inline && !cell) flush();
      else if (acts) flush();
    };
    walk(root, { off: offset(root), named: false, out: false, shown: true, hand: false });
    flush();
    return { items, cut: state.cut };
  };

  // snapshot gives every line; the host keeps them and tells as much as fits.
  const snapshot = () => {
    const { items, cut } = collect();
    const here = [];
    const there = [];
    let room = ALL;
    let over = cut;
    for (const item of items) {
      if ((room -= item.line.length) < 0) {
        over = true;
        break;
      }
      (item.here ? here : there).push(item.line);
    }
    return {
      here, there, cut: over, suspects: suspects(), width: innerWidth, height: innerHeight,
      scroll: Math.round(scrollY), tall: Math.round(document.documentElement.scrollHeight), title: tidy(document.title, 200),
    };
  };

  // What an action changed: the lines that are new, and how many went.

  // before is what was in view when an action began; touched is what was altered since.
  let before = null;
  const touched = { fresh: new Set(), count: 0 };
  const note = (records) => {
    touched.count += records.length;
    for (const r of records) {
      if (touched.fresh.size > 200) break;
      for (const n of r.addedNodes) if (n.nodeType === 1 || n.nodeType === 3) touched.fresh.add(n);
      if (r.type === 'characterData') touched.fresh.add(r.target);
    }
  };
  const watch = new MutationObserver(note);
  const remember = () => {
    before = new Map();
    for (const { line } of collect(true).items) before.set(line, (before.get(line) || 0) + 1);
  };
  // reveal brings something into view. What comes into view by that is no effect of
  // the action that it is done for.
  const reveal = (el) => {
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    if (before) remember();
  };
  const mark = () => {
    remember();
    watch.disconnect();
    touched.fresh.clear();
    touched.count = 0;
    const all = { subtree: true, childList: true, characterData: true, attributes: true };
    watch.observe(document, all);
    for (const doc of insides()) watch.observe(doc, all);
    return true;
  };
  // insides are the shadow roots and frames that were met.
  const met = new Set();
  const insides = () => {
    const out = [];
    for (const held of met) {
      const n = held.deref();
      if (!n || !(n.nodeType === 9 ? n.defaultView : n.host?.isConnected)) met.delete(held);
      else out.push(n);
    }
    return out.slice(0, 200);
  };
  const known = new WeakSet();
  const meet = (n) => {
    if (n && !known.has(n)) {
      known.add(n);
      met.add(new WeakRef(n));
    }
    return n;
  };
  // calm waits for the page's next frame and tells how much was altered before it,
  // and whether something still moves that will come to rest.
  const calm = async () => {
    const was = touched.count;
    await tick();
    note(watch.takeRecords());
    const moving = document.getAnimations().some((a) => a.playState === 'running' && Number.isFinite(a.effect?.getComputedTiming().endTime));
    return { altered: touched.count - was, ever: touched.count, moving };
  };
  const diff = () => {
    if (!before) {
      const { items } = collect(true);
      return { fresh: true, added: items.slice(0, 12).map((i) => i.line), more: Math.max(0, items.length - 12), removed: 0 };
    }
    note(watch.takeRecords());
    watch.disconnect();
    const was = before;
    before = null;
    const added = [];
    const told = new Set();
    for (const { line, el } of collect(true).items) {
      told.add(el);
      const n = was.get(line) || 0;
      if (n > 0) was.set(line, n - 1);
      else added.push(line);
    }
    // What came outside of the view.
    for (const root of touched.fresh) {
      if (added.length > 100 || told.has(root) || !root.isConnected) continue;
      if (root.nodeType === 3) {
        const by = above(root);
        const said = tidy(root.data, 400);
        if (said && by.nodeType === 1 && !told.has(by) && seen(by) && !SKIP.has(by.tagName)) added.push(quote(said, 400));
        told.add(by);
        continue;
      }
      for (const item of collect(false, root).items) {
        if (told.has(item.el)) continue;
        told.add(item.el);
        added.push(item.line);
      }
    }
    let removed = 0;
    for (const n of was.values()) removed += n;
    return { fresh: false, added: added.slice(0, 12), more: Math.max(0, added.length - 12), removed };
  };

  // Finding and reaching one element.

  class Miss extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }
  const describe = (el) => {
    const role = roleOf(el) || (clickable(el) ? 'clickable' : el.tagName.toLowerCase());
    const name = nameOf(el, role) || textOf(el, 60);
    return role + (name ? ' ' + quote(name, 80) : '');
  };
  const queryAll = (root, selector, out = [], most = 50) => {
    out.push(...root.querySelectorAll(selector));
    for (const el of root.querySelectorAll('*')) {
      if (out.length > most) break;
      if (shadowOf(el)) queryAll(shadowOf(el), selector, out, most);
      else if ((el.tagName === 'IFRAME' || el.tagName === 'FRAME') && inner(el)) queryAll(inner(el), selector, out, most);
    }
    return out;
  };
  const one = (found, what) => {
    if (found.length === 1) return found[0];
    const some = found.slice(0, 5).map((el) => ref(el) + ' ' + describe(el)).join(', ');
    throw new Miss('many', `${found.length} elements match ${what}: ${some}; use one of these refs`);
  };
  const find = (target) => {
    if (/^(f\d+)?e\d+$/.test(target)) {
      const el = byRef.get(target)?.deref();
      if (!el?.isConnected || !el.ownerDocument.defaultView) throw new Miss('stale', target);
      return el;
    }
    const place = /^at=(\d{1,5}),(\d{1,5})$/.exec(target);
    if (place) {
      const el = hitAt(Number(place[1]), Number(place[2]));
      if (!el) throw new Miss('none', `nothing of the page lies at ${place[1]},${place[2]}: the viewport is ${innerWidth}x${innerHeight}`);
      return el;
    }
    if (target.startsWith('css=')) {
      let found;
      try {
        found = queryAll(document, target.slice(4));
      } catch {
        throw new Miss('bad', `${quote(target)} is not a CSS selector`);
      }
      const visible = found.filter((el) => seen(el));
      if (!found.length) throw new Miss('none', `nothing matches ${quote(target)}; take a snapshot and use a ref`);
      return visible.length ? one(visible, quote(target)) : found[0];
    }
    const want = tidy(target, 300).toLowerCase();
    if (!want) throw new Miss('bad', 'the target is empty: name a ref (e12), css=selector, or the visible text');
    const { items } = collect();
    const tests = [
      (i) => i.acts && i.name.toLowerCase() === want,
      (i) => !i.acts && i.name.toLowerCase() === want,
      (i) => i.acts && i.name.toLowerCase().includes(want),
      (i) => !i.acts && i.name.toLowerCase().includes(want),
    ];
    for (const test of tests) {
      const found = [...new Set(items.filter(test).map((i) => i.el))];
      if (found.length) return one(found, quote(target));
    }
    throw new Miss('none', `no visible element says ${quote(target)}; take a snapshot and use a ref`);
  };

  // offset is where the element's document lies in the window.
  const offset = (el) => {
    const off = { x: 0, y: 0 };
    for (let view = el.ownerDocument.defaultView; view && view !== window; view = view.parent) {
      const holder = view.frameElement;
      if (!holder) break;
      const r = holder.getBoundingClientRect();
      off.x += r.x + holder.clientLeft;
      off.y += r.y + holder.clientTop;
    }
    return off;
  };
  const hitAt = (x, y) => {
    let root = document;
    for (let depth = 0; depth < 20; depth++) {
      const el = root.elementFromPoint(x, y);
      if (!el) return null;
      const shadow = shadowOf(el);
      if (shadow && shadow !== root) {
        const inside = shadow.elementFromPoint(x, y);
        if (inside && inside !== el) {
          root = shadow;
          continue;
        }
      }
      const doc = el.tagName === 'IFRAME' || el.tagName === 'FRAME' ? inner(el) : null;
      if (!doc) return el;
      const r = el.getBoundingClientRect();
      x -= r.x + el.clientLeft;
      y -= r.y + el.clientTop;
      root = doc;
    }
    return null;
  };
  const within = (el, outer) => {
    for (let n = el; n && n !== document; n = above(n)) if (n === outer) return true;
    return false;
  };
  const reaches = (el, hit) => {
    if (within(hit, el)) return true;
    const label = hit.closest?.('label');
    if (label && label.control === el) return true;
    // A child that lets the pointer through is clicked by way of its button.
    return within(el, hit) && (ACTS.has(roleOf(hit)) || getComputedStyle(el).pointerEvents === 'none');
  };
  const soon = (n) => new Promise((r) => setTimeout(() => r(false), n));
  const frame = () => Promise.race([new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(true)))), soon(150)]);
  // tick is over when the next frame has been prepared and what it set off has run.
  const tick = () => Promise.race([new Promise((r) => requestAnimationFrame(() => setTimeout(() => r(true), 0))), soon(100)]);

  // spot finds a point where the pointer would meet the element.
  const spot = (el) => {
    const off = offset(el);
    let covered = null;
    let outside = true;
    const rects = [...el.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    for (const r of rects.slice(0, 3)) {
      const left = Math.max(0, r.left + off.x);
      const top = Math.max(0, r.top + off.y);
      const right = Math.min(innerWidth, r.right + off.x);
      const bottom = Math.min(innerHeight, r.bottom + off.y);
      if (right - left < 1 || bottom - top < 1) continue;
      outside = false;
      for (const [fx, fy] of [[0.5, 0.5], [0.15, 0.5], [0.85, 0.5], [0.5, 0.2], [0.5, 0.8]]) {
        const x = left + (right - left) * fx;
        const y = top + (bottom - top) * fy;
        const hit = hitAt(x, y);
        if (hit && reaches(el, hit)) return { x, y };
        covered ??= hit;
      }
    }
    return { covered, outside, none: rects.length === 0 };
  };
  // guard watches the click that follows: one that would meet something else, which
  // came in between, is kept from the page, and landed tells.
  let watched = null;
  const BUTTONS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  const guard = (el) => {
    unguard();
    const view = el.ownerDocument.defaultView;
    watched = { el, view, seen: false, missed: null };
    for (const type of BUTTONS) view.addEventListener(type, onButton, { capture: true, passive: false });
  };
  const unguard = () => {
    if (watched) for (const type of BUTTONS) watched.view.removeEventListener(type, onButton, { capture: true });
    watched = null;
  };
  const onButton = (e) => {
    if (!watched || !e.isTrusted) return;
    if (!watched.seen && (e.type === 'pointerdown' || e.type === 'mousedown')) {
      watched.seen = true;
      const off = offset(watched.el);
      const hit = hitAt(e.clientX + off.x, e.clientY + off.y);
      if (hit && !reaches(watched.el, hit)) watched.missed = hit;
    }
    if (watched.missed) {
      e.preventDefault();
      e.stopImmediatePropagation();
    }
  };
  const landed = () => {
    const was = watched;
    unguard();
    if (!was?.missed) return { missed: '' };
    return { missed: `${ref(was.missed)} ${describe(was.missed)}` };
  };
  const aim = async (target, unsure) => {
    const el = find(target);
    const words = describe(el);
    if (el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true') {
      throw new Miss('disabled', `${words} is disabled`);
    }
    let at = spot(el);
    const still = !document.getAnimations().some((a) => a.playState === 'running' && a.effect?.target && (a.effect.target.contains(el) || el.contains(a.effect.target)));
    if (!('x' in at)) {
      reveal(el);
      at = spot(el);
    }
    if ('x' in at && still && !unsure) {
      guard(el);
      return { ref: ref(el), words, x: at.x, y: at.y };
    }
    for (let tries = 0; tries < 6; tries++) {
      if (!('x' in at)) reveal(el);
      await frame();
      if (!el.isConnected) throw new Miss('stale', target);
      const now = spot(el);
      if ('x' in now && 'x' in at && Math.abs(now.x - at.x) < 1.5 && Math.abs(now.y - at.y) < 1.5) {
        guard(el);
        return { ref: ref(el), words, x: now.x, y: now.y };
      }
      at = now;
    }
    guard(el);
    if ('x' in at) return { ref: ref(el), words, x: at.x, y: at.y }; // it keeps moving
    if (at.none) throw new Miss('hidden', `${words} is not visible`);
    if (at.covered) throw new Miss('covered', `${words} is covered by ${ref(at.covered)} ${describe(at.covered)}: deal with that first`);
    throw new Miss('hidden', `${words} lies outside the page and cannot be scrolled to`);
  };

  // Filling in.

  const SET = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);
  const HINT = {
    date: '2025-03-14', time: '13:45', month: '2025-03', week: '2025-W11', 'datetime-local': '2025-03-14T13:45', color: '#1a2b3c', range: 'a number',
  };
  const field = (target) => {
    let el = find(target);
    if (el.tagName === 'LABEL' && el.control) el = el.control;
    const editable = (n) => n.tagName === 'TEXTAREA' || n.tagName === 'SELECT' || n.isContentEditable || isInput(n);
    if (!editable(el)) {
      const inside = [...el.querySelectorAll('input, textarea, select, [contenteditable]')].filter((n) => seen(n));
      if (inside.length !== 1) throw new Miss('bad', `${describe(el)} is not a text field`);
      el = inside[0];
    }
    if (isInput(el) && ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'].includes(el.type)) {
      throw new Miss('bad', `${describe(el)} is not a text field: click it`);
    }
    if (isInput(el) && el.type === 'file') throw new Miss('bad', `${describe(el)} takes files, which browser panes do not send`);
    if (el.matches(':disabled')) throw new Miss('disabled', `${describe(el)} is disabled`);
    if (el.readOnly) throw new Miss('disabled', `${describe(el)} can only be read`);
    const kind = el.tagName === 'SELECT' ? 'choose' : isInput(el) && SET.has(el.type) ? 'set' : 'text';
    return { el, kind };
  };
  const changed = (el) => {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const pick = (el, words, names) => {
    const options = [...el.options];
    const chosen = names.map((name) => {
      const want = tidy(name, 300).toLowerCase();
      const named = (test) => options.find((o) => !o.disabled && (test(tidy(o.label, 300).toLowerCase()) || test(o.value.toLowerCase())));
      const option = named((s) => s === want) || (want && named((s) => s.includes(want)));
      if (option) return option;
      const some = options.slice(0, 20).map((o) => quote(o.label, 40)).join(', ');
      throw new Miss('none', `${words} has no option ${quote(name)}; it has ${some}${options.length > 20 ? ` and ${options.length - 20} more` : ''}`);
    });
    if (chosen.length > 1 && !el.multiple) throw new Miss('bad', `${words} takes one option`);
    el.focus();
    if (!el.multiple) el.selectedIndex = chosen[0].index;
    else for (const o of options) o.selected = chosen.includes(o);
    changed(el);
  };
  // suggests says that the field looks like one that answers what is typed, which takes it a moment.
  const suggests = (el) =>
    roleOf(el) === 'combobox' || roleOf(el) === 'searchbox' || ['aria-autocomplete', 'aria-controls', 'aria-owns', 'aria-haspopup', 'list'].some((a) => el.hasAttribute(a)) ||
    el.getAttribute('autocomplete') === 'off';
  // prepare tells how the field is filled; a list or a date is filled at once.
  const prepare = (target, text) => {
    const { el, kind } = field(target);
    const out = { ref: ref(el), words: describe(el), kind, suggests: suggests(el) };
    if (kind === 'choose') pick(el, out.words, [text]);
    else if (kind === 'set') {
      el.focus();
      const was = el.value;
      el.value = text;
      if (el.type !== 'range' && el.value.toLowerCase() !== text.toLowerCase()) {
        el.value = was;
        throw new Miss('bad', `${out.words} does not take ${quote(text)}: write it like ${HINT[el.type]}`);
      }
      changed(el);
    }
    return out;
  };
  // caret puts the caret to the end, or selects everything.
  const caret = (target, all) => {
    const el = find(target);
    if (focused() !== el && !within(focused(), el)) el.focus();
    if (el.tagName === 'INPUT' || el.tagName === 'TEXTAREA') {
      if (all) el.select();
      else {
        try {
          el.setSelectionRange(el.value.length, el.value.length);
        } catch {
          return { end: true, empty: el.value === '' }; // number and email know no caret
        }
      }
      return { end: false, empty: el.value === '' };
    }
    const range = el.ownerDocument.createRange();
    range.selectNodeContents(el);
    if (!all) range.collapse(false);
    const selection = el.ownerDocument.defaultView.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return { end: false, empty: el.textContent === '' };
  };

  // What the other acts ask.

  const choose = (target, names) => {
    const { kind, el } = field(target);
    if (kind !== 'choose') throw new Miss('bad', `${describe(el)} is not a list with options: click it and then its entry`);
    const out = { ref: ref(el), words: describe(el), kind };
    pick(el, out.words, names);
    return out;
  };
  const ticked = (target) => {
    let el = find(target);
    if (el.tagName === 'LABEL' && el.control) el = el.control;
    const role = roleOf(el);
    if (!['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'].includes(role)) {
      throw new Miss('bad', `${describe(el)} cannot be ticked`);
    }
    const checked = isInput(el) ? el.checked : el.getAttribute('aria-checked') === 'true';
    // A box that is drawn by its label is clicked there.
    const shown = el.getClientRects().length > 0 && getComputedStyle(el).opacity !== '0';
    const at = shown ? el : ([...(el.labels ?? [])].find((n) => seen(n)) ?? el);
    return { ref: ref(shown ? el : at), words: describe(el), checked };
  };
  // place is where an element is, whether or not it could be clicked.
  const place = async (target) => {
    const el = find(target);
    let at = spot(el);
    if (!('x' in at)) {
      el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      await frame();
      at = spot(el);
    }
    const off = offset(el);
    const r = el.getBoundingClientRect();
    const x = 'x' in at ? at.x : r.x + r.width / 2 + off.x;
    const y = 'y' in at ? at.y : r.y + r.height / 2 + off.y;
    return { ref: ref(el), words: describe(el), x, y };
  };
  // area is what an element takes of the window.
  const area = async (target) => {
    await place(target);
    const el = find(target);
    const off = offset(el);
    const r = el.getBoundingClientRect();
    return { x: r.x + off.x + scrollX, y: r.y + off.y + scrollY, width: r.width, height: r.height };
  };
  const fileInput = (target, count) => {
    let el = find(target);
    if (el.tagName === 'LABEL' && el.control) el = el.control;
    if (!isInput(el)) el = el.querySelector?.('input[type=file]') ?? el;
    if (!isInput(el) || el.type !== 'file') throw new Miss('bad', `${describe(el)} takes no files`);
    if (count > 1 && !el.multiple) throw new Miss('bad', `${describe(el)} takes one file`);
    return { ref: ref(el), words: describe(el) };
  };
  const element = (target) => find(target);
  // until waits a few seconds for a text or an element to come, or a text to go.
  const until = (text, gone, target, patience) => {
    const want = (w) => tidy(w, 300).toLowerCase();
    const there = () => {
      try {
        return seen(find(target));
      } catch (e) {
        if (e instanceof Miss && e.code === 'many') return true;
        if (e instanceof Miss && e.code !== 'bad') return false;
        throw e;
      }
    };
    const holds = () => {
      const said = text || gone ? textsOf().replace(/\s+/g, ' ').toLowerCase() : '';
      return (!text || said.includes(want(text))) && (!gone || !said.includes(want(gone))) && (!target || there());
    };
    return new Promise((done, fail) => {
      if (holds()) return done(true);
      if (!patience) return done(false);
      let due = false;
      const end = (held) => {
        watch.disconnect();
        clearInterval(tick);
        clearTimeout(last);
        done(held);
      };
      const look = () => {
        due = false;
        try {
          if (holds()) end(true);
        } catch (e) {
          end(false);
          fail(e);
        }
      };
      const watch = new MutationObserver(() => {
        if (!due) setTimeout(look, 50);
        due = true;
      });
      watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      const tick = setInterval(look, 500); // styles change without a mutation
      const last = setTimeout(() => end(false), patience);
    });
  };
  // textsOf is what the page and its frames and shadow roots say.
  const textsOf = () => {
    let text = '';
    const add = (root, said) => {
      text += ' ' + said;
      for (const el of root.querySelectorAll('*')) {
        const inside = shadowOf(el);
        if (inside) for (const c of inside.children) add(inside, c.innerText ?? '');
        else if (el.tagName === 'IFRAME' || el.tagName === 'FRAME') {
          const doc = inner(el);
          if (doc) add(doc, doc.body?.innerText ?? '');
        }
      }
    };
    add(document, document.body?.innerText ?? '');
    return text;
  };
  // marks are the things to use that can be seen, with their places.
  const marks = () =>
    collect()
      .items.filter((i) => i.acts && i.here)
      .slice(0, 200)
      .map((i) => {
        const r = i.el.getBoundingClientRect();
        return { ref: ref(i.el), x: r.x + i.off.x, y: r.y + i.off.y, width: r.width, height: r.height };
      });

  // touches tells what a click, or Enter in a field, would set off. It changes nothing.
  const CARD = 'input[autocomplete^="cc-"], input[name="cardnumber"], iframe[src*="js.stripe.com"], iframe[src*="paypal.com"], iframe[src*="braintree"], iframe[src*="adyen.com"], iframe[src*="checkout.com"]';
  const touches = (target, enter) => {
    let el = target === '' ? focused() : find(target);
    if (!el || el === el.ownerDocument.body) return { link: '', method: '', action: '', fields: [], payment: false };
    if (el.tagName === 'LABEL' && el.control) el = el.control;
    const out = { link: '', method: '', action: '', fields: [], payment: el.matches(CARD) };
    const link = el.closest('a[href], area[href]');
    if (link) out.link = String(link.href);
    const button = el.closest('button, input[type=submit], input[type=image]');
    const sends = enter ? el : button && button.type !== 'button' && button.type !== 'reset' ? button : null;
    const form = sends && (sends.form || sends.closest('form'));
    if (form) {
      const own = (name) => (sends.hasAttribute('form' + name) ? sends.getAttribute('form' + name) : form.getAttribute(name)) || '';
      const method = own('method').toUpperCase();
      out.method = method === 'POST' || method === 'DIALOG' ? method : 'GET';
      out.action = new URL(own('action') || form.ownerDocument.URL, form.ownerDocument.baseURI).href;
      for (const f of [...form.elements].slice(0, 60)) {
        if (!f.name || f.disabled || f.tagName === 'BUTTON' || ['submit', 'image', 'reset', 'button'].includes(f.type)) continue;
        if ((f.type === 'checkbox' || f.type === 'radio') && !f.checked) continue;
        const secret = f.type === 'password' || /^cc-|password|one-time-code/.test(f.getAttribute('autocomplete') || '');
        out.fields.push({ name: tidy(f.name, 60), value: secret ? (f.value ? '••••' : '') : tidy(String(f.value), 200) });
      }
    }
    if (sends || (button && !link)) out.payment ||= el.ownerDocument.querySelector(CARD) !== null;
    return out;
  };

  const guarded = (f) => async (...args) => {
    try {
      return { ok: await f(...args), last: lastId, frames: lastFrame };
    } catch (e) {
      if (e instanceof Miss) return { code: e.code, message: e.message, last: lastId, frames: lastFrame };
      throw e;
    }
  };
  // through is where a point of a frame of another site lies in this document. It is
  // brought into view, and must not be covered.
  const through = (number, x, y) => {
    const el = foreign.get(number)?.deref();
    if (!el?.isConnected) throw new Miss('stale', 'the frame');
    const where = () => {
      const off = offset(el);
      const r = el.getBoundingClientRect();
      const style = getComputedStyle(el);
      return { x: r.x + el.clientLeft + parseFloat(style.paddingLeft) + off.x + x, y: r.y + el.clientTop + parseFloat(style.paddingTop) + off.y + y };
    };
    const outside = (p) => p.x < 0 || p.y < 0 || p.x >= innerWidth || p.y >= innerHeight;
    let p = where();
    if (outside(p) || hitAt(p.x, p.y) !== el) {
      reveal(el);
      p = where();
      if (outside(p)) {
        el.ownerDocument.defaultView.scrollBy({ left: p.x - innerWidth / 2, top: p.y - innerHeight / 2, behavior: 'instant' });
        p = where();
      }
    }
    if (outside(p)) throw new Miss('hidden', 'that place of the frame cannot be scrolled to');
    const hit = hitAt(p.x, p.y);
    if (hit && !reaches(el, hit)) throw new Miss('covered', `it is covered by ${ref(hit)} ${describe(hit)}: deal with that first`);
    return p;
  };
  // again finds what looks like something that is gone.
  const again = (role, name) =>
    collect().items.filter((i) => i.acts && i.role === role && i.name === name).slice(0, 5).map((i) => ref(i.el));
  // suspects may have a closed shadow root, which only the host can tell.
  const asked = new WeakMap();
  const HOSTS = ':is(div, span, section, article, aside, header, footer, main, nav, p, h1, h2, h3, h4, h5, h6, blockquote):empty';
  let list = [];
  const suspects = () => {
    list = [];
    const now = performance.now();
    const roots = [document, ...insides()];
    for (const root of roots) {
      for (const el of root.querySelectorAll(HOSTS)) {
        if (list.length >= 60) return list.length;
        if (!asked.has(el) && !shadowOf(el) && el.offsetWidth > 3 && el.offsetHeight > 3) list.push(el);
      }
      for (const el of root.querySelectorAll(':not(:is(' + PLAIN + '))')) {
        if (list.length >= 60) return list.length;
        if (!el.tagName.includes('-') || shadowOf(el) || now - (asked.get(el) ?? -1e9) < 3000) continue;
        list.push(el);
      }
    }
    return list.length;
  };
  const PLAIN = 'div, span, p, a, li, ul, ol, td, tr, th, table, tbody, thead, input, button, label, img, i, b, em, strong, svg, path, g, script, style, link, meta, option, select, form, h1, h2, h3, br, code, small';
  const suspected = () => {
    for (const el of list) asked.set(el, performance.now());
    return list;
  };
  const focusOn = (target) => {
    const el = find(target);
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    el.focus();
    if (focused() !== el && !within(focused() ?? document, el)) throw new Miss('bad', `${describe(el)} cannot have the keyboard: click it`);
    return { words: describe(el) };
  };

  const calls = {
    snapshot: guarded(snapshot), mark: guarded(mark), diff: guarded(diff), aim: guarded(aim), prepare: guarded(prepare),
    caret: guarded(caret), frame: guarded(frame), choose: guarded(choose), ticked: guarded(ticked), place: guarded(place),
    area: guarded(area), fileInput: guarded(fileInput), until: guarded(until), marks: guarded(marks), element,
    touches: guarded(touches), focusOn: guarded(focusOn), calm: guarded(calm), landed: guarded(landed), through: guarded(through),
    again: guarded(again), suspects: guarded(suspects), suspected,
    from: (refs, inside) => {
      lastId = Math.max(lastId, refs);
      lastFrame = Math.max(lastFrame, inside);
      return calls;
    },
    adopt: (root) => closed.set(root.host, meet(root)),
    hold: (el, number) => foreign.set(number, new WeakRef(el)),
    parts: { tidy, roleOf, nameOf, textOf, statesOf, ref, below, drawn, seen, inner, collect, queryAll, offset, focused, clickable, quote, Miss, find },
    also: (more) => {
      for (const [name, f] of Object.entries(more)) calls[name] = guarded(f);
    },
  };
  return calls;
})();
