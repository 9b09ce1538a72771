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

  // Expressions with \p cost a page's first looks more than all the rest of this: most
  // texts need none.
  const ODD = /[^ -~]| {2}|^ | $/;
  const FOREIGN = /[^\0-\x7f]/;
  const tidy = (s, limit) => {
    s = String(s);
    const cut = s.length > limit * 4;
    if (cut) s = s.slice(0, limit * 4);
    if (ODD.test(s)) {
      s = FOREIGN.test(s) ? s.toWellFormed().replace(/\p{Cf}/gu, '').replace(/[\s\p{Cc}]+/gu, ' ') : s.replace(/[\0- \x7f]+/g, ' ');
      s = s.trim();
    }
    return cut && s.length <= limit ? s + '…' : short(s, limit); // no cut without its mark: secrets are looked for there
  };
  const short = (s, limit) => (s.length > limit ? s.slice(0, limit).toWellFormed() + '…' : s);
  // quoted is for what is tidy already.
  const quoted = (s) => (/["\\\ud800-\udfff]/.test(s) ? JSON.stringify(s) : '"' + s + '"');
  const quote = (s, limit = 160) => quoted(tidy(s, limit));

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

  // What a walk has to know of a tag.
  const SKIPPED = 1;
  const FLOWS = 2;
  const CELL = 4;
  const kinds = new Map();
  const kindOf = (tag) => {
    const known = kinds.get(tag);
    if (known !== undefined) return known;
    const kind = (SKIP.has(tag) ? SKIPPED : 0) | (INLINE.has(tag) ? FLOWS : 0) | (tag === 'TD' || tag === 'TH' ? CELL : 0);
    if (kinds.size < 1000) kinds.set(tag, kind); // a page may make up as many as it likes
    return kind;
  };

  const isInput = (el) => el.tagName === 'INPUT';
  const spoken = (said) => {
    said = said.trim().split(/\s+/)[0].toLowerCase();
    return /^[a-z]{2,20}$/.test(said) && said !== 'presentation' && said !== 'none' && said !== 'generic' ? said : '';
  };
  const roleOf = (el) => {
    const said = el.getAttribute('role');
    const role = said && spoken(said);
    if (role) return role;
    switch (el.tagName) {
      case 'A':
      case 'AREA':
        return el.hasAttribute('href') ? 'link' : '';
      case 'INPUT':
        return INPUTS[el.type] ?? 'textbox';
      case 'SELECT':
        return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    }
    if (el.hasAttribute('contenteditable') && el.isContentEditable && !el.parentElement?.isContentEditable) return 'textbox';
    return TAGS[el.tagName] ?? '';
  };
  const pointer = (el) => el.nodeType === 1 && getComputedStyle(el).cursor === 'pointer';
  const clickable = (el) =>
    el.hasAttribute('onclick') || (el.hasAttribute('tabindex') && el.tabIndex >= 0) || (pointer(el) && !pointer(above(el)));

  const closed = new WeakMap(); // elements with closed shadow roots, which the host of this script finds
  const opened = new Set(); // those roots
  const adopt = (root) => {
    if (closed.has(root.host)) return false;
    closed.set(root.host, root);
    opened.add(new WeakRef(meet(root)));
    return true;
  };
  // rooted counts the closed roots of the page that were found.
  const rooted = () => {
    let n = 0;
    for (const held of opened) {
      const root = held.deref();
      if (!root) opened.delete(held);
      else if (root.host.isConnected && root.ownerDocument.defaultView) n++;
    }
    return n;
  };
  const shadowOf = (el) => {
    const shadow = el.shadowRoot ?? closed.get(el) ?? null;
    return shadow && meet(shadow);
  };
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
  // each is below without its list, which costs more than what it lists.
  const each = (n, f, with_) => {
    const shadow = shadowOf(n);
    if (!shadow && n.tagName === 'SLOT') for (const c of below(n)) f(c, with_);
    else for (let c = (shadow ?? n).firstChild; c; c = c.nextSibling) f(c, with_);
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
  const VISIBLE = { visibilityProperty: true };
  const seen = (el) => el.checkVisibility(VISIBLE);
  const leaf = (el) => el.firstElementChild === null && el.tagName !== 'SLOT' && shadowOf(el) === null;
  const hiddenFromReaders = (el) => el.getAttribute('aria-hidden') === 'true';

  // textOf is the text in an element as it is read, up to a length.
  const textOf = (el, limit = 160) => {
    if (leaf(el)) return tidy(el.textContent, limit);
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
          if (leaf(n)) text += n.textContent.slice(0, limit * 4);
          else each(n, go);
          if (!INLINE.has(n.tagName)) text += ' ';
        }
      }
    };
    each(el, go);
    return tidy(text, limit);
  };
  // labelsOf is el.labels, for which Chromium looks through the whole document each
  // time. What was found holds for one call of the host, within which nothing changes.
  let labelled = new WeakMap();
  const forgetLabels = () => (labelled = new WeakMap());
  const labelsOf = (el) => {
    if (!el.labels) return undefined;
    const root = el.getRootNode();
    let found = labelled.get(root);
    if (!found) {
      found = new Map();
      for (const label of root.querySelectorAll('label')) {
        const to = label.control;
        if (to && !found.get(to)?.push(label)) found.set(to, [label]);
      }
      labelled.set(root, found);
    }
    return found.get(el);
  };
  const nameOf = (el, role) => {
    const by = el.getAttribute('aria-labelledby')?.trim();
    if (by) {
      const root = el.getRootNode();
      const text = by.split(/\s+/).slice(0, 8).map((id) => root.getElementById?.(id)).filter(Boolean).map((n) => textOf(n)).join(' ');
      if (tidy(text, 160)) return tidy(text, 160);
    }
    const said = el.getAttribute('aria-label');
    const label = said && tidy(said, 160);
    if (label) return label;
    if (isInput(el) && ['button', 'submit', 'reset'].includes(el.type)) return tidy(el.value || el.type, 160);
    const labels = labelsOf(el);
    if (labels) {
      const text = tidy(labels.slice(0, 4).map((n) => textOf(n)).join(' '), 160);
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

  const home = location.origin + '/';
  const said = (el, name) => el.getAttribute('aria-' + name) === 'true';
  const statesOf = (el, role, focus) => {
    const out = [];
    const tag = el.tagName;
    const aria = el.getAttributeNames().some((name) => name.startsWith('aria-'));
    if (role === 'heading') out.push('level ' + (Number(el.getAttribute('aria-level')) || Number(tag[1]) || 2));
    if (el.matches(':disabled') || (aria && said(el, 'disabled'))) out.push('disabled');
    if (el.checked === true || (aria && said(el, 'checked'))) out.push('checked');
    if (aria) {
      if (said(el, 'selected')) out.push('selected');
      if (said(el, 'pressed')) out.push('pressed');
      if (said(el, 'busy')) out.push('busy');
      if (el.hasAttribute('aria-expanded')) out.push(said(el, 'expanded') ? 'expanded' : 'collapsed');
    }
    if (tag === 'SUMMARY') out.push(el.parentElement?.open ? 'expanded' : 'collapsed');
    if (el.required === true) out.push('required');
    if (el.readOnly === true && !['checkbox', 'radio', 'button', 'submit'].includes(el.type)) out.push('readonly');
    if (aria && said(el, 'invalid')) out.push('invalid');
    if (el === focus) out.push('focused');
    if (el.tagName === 'SELECT') {
      const options = [...el.options].slice(0, 200);
      out.push('value=' + quote([...el.selectedOptions].map((o) => o.label).join(', '), 120));
      out.push('options: ' + options.slice(0, 12).map((o) => quote(o.label, 40)).join(' | ') + (options.length > 12 ? ` | … ${el.options.length - 12} more` : ''));
    } else if (isInput(el) && el.type === 'password') {
      if (el.value) out.push('filled, value hidden');
    } else if (isInput(el) && el.type === 'file') {
      out.push(el.files.length + ' files');
    } else if ((isInput(el) && !['checkbox', 'radio', 'button', 'submit', 'reset', 'image'].includes(el.type)) || el.tagName === 'TEXTAREA') {
      out.push('value=' + quote(el.value, 200));
    } else if (role === 'textbox') {
      out.push('value=' + quote(textOf(el, 200), 200));
    } else if (aria && el.hasAttribute('aria-valuenow')) {
      out.push('value=' + quote(el.getAttribute('aria-valuenow'), 40));
    } else if (el.tagName === 'PROGRESS' || el.tagName === 'METER') {
      out.push('value=' + el.value + ' of ' + el.max);
    }
    const href = role === 'link' ? el.href : '';
    if (href && typeof href === 'string' && /^https?:/.test(href)) {
      out.push('-> ' + quote(href.startsWith(home) ? href.slice(home.length - 1) : href, 120));
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
    const width = innerWidth;
    const height = innerHeight;
    forgetLabels();
    let text = '';
    let owner = null;
    const flush = () => {
      if (owner) {
        let line = tidy(text, 400);
        if (line.includes('|')) line = line.replace(/^(\| ?)+|( ?\|)+$/g, '').trim();
        if (line) {
          const here = !owner.at.out && (owner.at.here || overlaps(owner.el, owner.at.off));
          items.push({ el: owner.el, off: owner.at.off, here, role: 'text', name: line, acts: false, line: quoted(short(line, here ? NEAR : FAR)) });
        }
        owner = null;
      }
      text = '';
    };
    const overlaps = (n, off) => {
      const r = n.getBoundingClientRect();
      const x = r.x + off.x;
      const y = r.y + off.y;
      return x < width && y < height && x + r.width > 0 && y + r.height > 0;
    };
    // write takes a text of the page.
    const write = (el, data, at) => {
      if (data.trim() === '') text += ' ';
      else if (at.shown) {
        owner ??= { el, at };
        if (text.length < 2000) text += data.slice(0, 2000);
      }
    };
    // at is what is known from above: where the document lies, whether a name says
    // the text already, whether this is out of view or hidden, and the pointer there.
    const walk = (n, at) => {
      if (state.cut) return;
      if (++state.nodes > NODES) {
        state.cut = true;
        return;
      }
      const type = n.nodeType;
      if (type === 3) {
        if (!at.named) write(above(n), n.data, at);
        return;
      }
      if (type !== 1) return;
      const tag = n.tagName;
      const kind = kindOf(tag);
      const marked = n.hasAttributes();
      if (kind & SKIPPED || (marked && hiddenFromReaders(n))) return;
      let shown = seen(n);
      if (!shown) {
        if (!drawn(n)) return;
        shown = getComputedStyle(n).display === 'contents' && at.shown;
      }
      const block = !(kind & (FLOWS | CELL));
      let out = at.out;
      let near = false; // it is known to be in view
      if (block && !out) {
        // Where something lies is by far the dearest to know.
        const r = n.getBoundingClientRect();
        const x = r.x + at.off.x;
        const y = r.y + at.off.y;
        near = x < width && y < height && x + r.width > 0 && y + r.height > 0;
        out = !near && r.width > 0 && r.height > 0;
        if (out && view) return flush();
      }
      const role = roleOf(n);
      let acts = shown && role !== '' && (ACTS.has(role) || role.endsWith(' input'));
      let hand = at.hand || acts; // what is in a link has its pointer
      if (role === '' && !at.named) {
        hand = getComputedStyle(n).cursor === 'pointer';
        acts = shown && hand && !at.hand;
      }
      if (role === '' && marked && shown && !acts) acts = n.hasAttribute('onclick') || (n.hasAttribute('tabindex') && n.tabIndex >= 0);
      if (kind & CELL) text += ' | ';
      else if (block) flush();
      let named = at.named;
      if (acts || (role !== '' && ((role === 'heading' && !named) || (GROUPS.has(role) && shown) || (PICTURES.has(role) && !named)))) {
        const word = role || 'clickable';
        const name = nameOf(n, word);
        if (acts || name || GROUPS.has(word)) {
          flush();
          const here = !out && (near || overlaps(n, at.off));
          if (tell(n, at, word, name, acts, here, out)) return;
        }
        if (tag === 'SELECT' || tag === 'TEXTAREA' || (role === 'textbox' && n.isContentEditable)) return;
        named = named || (NAMED_BY_TEXT.has(word) && name !== '');
      }
      if (tag === 'LABEL' && n.control && n.control.type !== 'hidden') named = true; // its field says it
      if (leaf(n)) {
        const data = named ? '' : n.textContent;
        if (data !== '') write(n, data, { off: at.off, out, shown, here: near });
      } else {
        const inside = { off: at.off, named, out, shown, hand, here: near };
        if (!out && n.childElementCount > 60 && !shadowOf(n) && tag !== 'SLOT') listed(n, inside);
        else each(n, walk, inside);
      }
      if (block || acts) flush();
    };
    // listed walks what a long list holds. Where the lines of one lie one below the other,
    // a few of them tell which can be in view; asking each would take most of the time.
    const listed = (n, at) => {
      const many = n.children;
      const last = many.length - 1;
      let lost = false;
      const box = (i) => {
        for (let k = i; k <= last && k < i + 40; k++) {
          const r = many[k].getBoundingClientRect();
          if (r.height > 0) return { top: r.y + at.off.y, bottom: r.y + r.height + at.off.y };
        }
        lost = true; // too many that are not drawn
        return { top: 0, bottom: 0 };
      };
      const some = [0, 1, 2, 3, 4].map((i) => box(Math.floor((last * i) / 4)));
      const ordered = some.every((b, i) => i === 0 || b.top >= some[i - 1].bottom) && many[0].tagName === many[last].tagName;
      // The first one of which test holds.
      const first = (test) => {
        let low = 0;
        let high = last + 1;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (test(box(middle))) high = middle;
          else low = middle + 1;
        }
        return low;
      };
      const from = ordered && !lost ? (many[first((b) => b.bottom > 0)] ?? null) : null;
      const to = ordered && !lost ? (many[first((b) => b.top >= height)] ?? null) : null;
      if (!ordered || lost) return each(n, walk, at);
      const away = { ...at, out: true, here: false };
      let here = false;
      for (let c = view ? from : n.firstChild; c; c = c.nextSibling) {
        if (c === from) here = true;
        if (c === to) {
          here = false;
          if (view) return;
        }
        walk(c, here ? at : away);
      }
    };
    // tell adds the line of something that is not text, and says whether it told what is in it as well.
    const tell = (n, at, word, name, acts, here, out) => {
      const holds = n.tagName === 'IFRAME' || n.tagName === 'FRAME';
      const doc = holds ? inner(n) : null;
      const number = holds && !doc ? numberOf(n) : 0;
      let line = (acts ? ref(n) + ' ' : '') + word;
      if (name) line += ' ' + quoted(short(name, FAR));
      for (const said of statesOf(n, word, focus)) line += ' ' + said;
      if (holds && !doc && !number) line += ' (its content cannot be told yet)';
      items.push({ el: n, off: at.off, here, role: word, name, acts, line });
      // The host puts the frame's own lines in place of this one; no page can write it.
      if (number) items.push({ el: n, off: at.off, here, role: 'frame', name: '', acts: false, line: '\u0001' + number });
      if (!doc) return false;
      const r = n.getBoundingClientRect();
      const off = { x: at.off.x + r.x + n.clientLeft, y: at.off.y + r.y + n.clientTop };
      walk(doc.body || doc.documentElement, { off, named: false, out, shown: true, hand: false });
      flush();
      return true;
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
      here: here.join('\n'), there: there.join('\n'), cut: over, known: rooted(), width: innerWidth, height: innerHeight,
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
  // Of a page that rests it tells what changed as well, since that is asked next.
  const calm = async () => {
    const was = touched.count;
    await tick();
    note(watch.takeRecords());
    const altered = touched.count - was;
    const moving = document.getAnimations().some((a) => a.playState === 'running' && Number.isFinite(a.effect?.getComputedTiming().endTime));
    return { altered, ever: touched.count, moving, diff: altered || moving ? null : differs() };
  };
  const rest = () => {
    watch.disconnect();
    touched.fresh.clear();
    before = null;
    return true;
  };
  const diff = () => {
    const found = differs();
    rest();
    return found;
  };
  const differs = () => {
    if (!before) {
      const { items } = collect(true);
      return { fresh: true, added: items.slice(0, 12).map((i) => i.line), more: Math.max(0, items.length - 12), removed: 0 };
    }
    note(watch.takeRecords());
    const was = new Map(before);
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

  // offset is where the element's document is in the window.
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
  // came in between, is kept from the page, and landed tells. A guard must not outlive
  // its click: it would swallow the next one.
  let watched = null;
  let aims = 0; // counts aim and release: an aim that was given up sets no guard
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
  const landed = async (settling) => {
    const was = watched;
    unguard();
    if (!was?.missed) return { missed: '', calm: settling ? await calm() : null };
    return { missed: `${ref(was.missed)} ${describe(was.missed)}` };
  };
  // release removes the guard of a click that is not made, or not waited for any more. One
  // that was pressed may still be on its way: the guard stays for that frame.
  const release = async (pressed) => {
    const turn = ++aims;
    if (pressed) await tick();
    if (turn === aims) unguard();
  };
  // aim finds the point of an element for the mouse. With clicks it sets the guard.
  const aim = async (target, unsure, clicks) => {
    const turn = ++aims;
    unguard();
    const el = find(target);
    const words = describe(el);
    if (el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true') {
      throw new Miss('disabled', `${words} is disabled`);
    }
    const found = ({ x, y }) => {
      const point = { ref: ref(el), words, x, y };
      if (clicks && turn === aims) guard(el);
      return point;
    };
    let at = spot(el);
    const still = !document.getAnimations().some((a) => a.playState === 'running' && a.effect?.target && (a.effect.target.contains(el) || el.contains(a.effect.target)));
    if (!('x' in at)) {
      reveal(el);
      at = spot(el);
    }
    if ('x' in at && still && !unsure) return found(at);
    for (let tries = 0; tries < 6; tries++) {
      if (!('x' in at)) reveal(el);
      await frame();
      if (!el.isConnected) throw new Miss('stale', target);
      const now = spot(el);
      if ('x' in now && 'x' in at && Math.abs(now.x - at.x) < 1.5 && Math.abs(now.y - at.y) < 1.5) return found(now);
      at = now;
    }
    if ('x' in at) return found(at); // it keeps moving
    throw unreachable(at, words);
  };
  const unreachable = (at, words) => {
    if (at.none) return new Miss('hidden', `${words} is not visible`);
    if (at.covered) return new Miss('covered', `${words} is covered by ${ref(at.covered)} ${describe(at.covered)}: deal with that first`);
    return new Miss('hidden', `${words} lies outside the page and cannot be scrolled to`);
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
    if (isInput(el) && el.type === 'file') throw new Miss('bad', `${describe(el)} takes files: give them with browser_upload`);
    if (el.matches(':disabled')) throw new Miss('disabled', `${describe(el)} is disabled`);
    if (el.readOnly) throw new Miss('disabled', `${describe(el)} can only be read`);
    const kind = el.tagName === 'SELECT' ? 'choose' : isInput(el) && SET.has(el.type) ? 'set' : 'text';
    return { el, kind };
  };
  const changed = (el) => {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const chosen = (el, words, names) => {
    const options = [...el.options];
    const found = names.map((name) => {
      const want = tidy(name, 300).toLowerCase();
      const named = (test) => options.find((o) => !o.disabled && (test(tidy(o.label, 300).toLowerCase()) || test(o.value.toLowerCase())));
      const option = named((s) => s === want) || (want && named((s) => s.includes(want)));
      if (option) return option;
      const some = options.slice(0, 20).map((o) => quote(o.label, 40)).join(', ');
      const more = options.length > 20 ? ` and ${options.length - 20} more, which browser_find lists with role=option` : '';
      throw new Miss('none', `${words} has no option ${quote(name)}; it has ${some}${more}`);
    });
    if (found.length > 1 && !el.multiple) throw new Miss('bad', `${words} takes one option`);
    return found;
  };
  // suggests says that the field looks like one that answers what is typed, which takes it a moment.
  const suggests = (el) =>
    roleOf(el) === 'combobox' || roleOf(el) === 'searchbox' || ['aria-autocomplete', 'aria-controls', 'aria-owns', 'aria-haspopup', 'list'].some((a) => el.hasAttribute(a)) ||
    el.getAttribute('autocomplete') === 'off';
  // Lists, dates and sliders are filled with keys, as a user does who has no mouse.

  // keysOf are the keys that lead to an option of a list that is opened by one.
  const keysOf = (el, option) => {
    const shown = [...el.options].filter((o) => !o.disabled && !o.hidden && !o.parentElement.disabled);
    const to = shown.indexOf(option);
    const from = shown.indexOf(el.selectedOptions[0]);
    if (to < 0 || to === from) return [];
    const steps = from < 0 ? ['Home', ...Array(to).fill('ArrowDown')] : Array(Math.abs(to - from)).fill(to > from ? 'ArrowDown' : 'ArrowUp');
    return ['Space', ...steps, 'Enter'];
  };
  const slides = (el, value) => {
    const step = Number(el.step || 1);
    const n = step ? Math.round((value - Number(el.value)) / step) : NaN;
    return Math.abs(n) <= MOST_STEPS ? Array(Math.abs(n)).fill(n > 0 ? 'ArrowRight' : 'ArrowLeft') : [];
  };
  const MOST_STEPS = 300;
  // digits are the keys for the parts of a date or a time, in the order in which this
  // Chromium shows them.
  const digits = (el, value) => {
    const m = /^(?:(\d{4})-(\d\d)-(\d\d))?T?(?:(\d\d):(\d\d))?$/.exec(value);
    if (!m || !['date', 'time', 'datetime-local'].includes(el.type)) return [];
    const parts = (options) => new Intl.DateTimeFormat(navigator.language, options).formatToParts(0).map((p) => p.type);
    const day = el.type === 'time' ? [] : parts({ year: 'numeric', month: '2-digit', day: '2-digit' });
    const time = el.type === 'date' ? [] : parts({ hour: '2-digit', minute: '2-digit' });
    const half = time.includes('dayPeriod');
    const hour = half ? String(Number(m[4]) % 12 || 12).padStart(2, '0') : m[4];
    const said = { year: m[1], month: m[2], day: m[3], hour, minute: m[5], dayPeriod: Number(m[4]) < 12 ? 'a' : 'p' };
    const order = [...day, ...time].filter((type) => type in said);
    return order.flatMap((type, i) => [...said[type], ...(type === 'year' && i < order.length - 1 ? ['ArrowRight'] : [])]);
  };
  // reach gives the keyboard to a field that can be seen and got at.
  const reach = (el) => {
    let at = spot(el);
    if (!('x' in at)) {
      reveal(el);
      at = spot(el);
    }
    if (!('x' in at)) throw unreachable(at, describe(el));
    if (focused() === el) el.blur(); // a date begins at its first part again
    el.focus();
  };
  // prepare tells how the field is filled.
  const prepare = (target, text) => {
    const { el, kind } = field(target);
    const out = { ref: ref(el), words: describe(el), kind, suggests: suggests(el), keys: [], value: text };
    if (kind === 'choose') {
      const [option] = chosen(el, out.words, [text]);
      return { ...out, ...choosing(el, [option]) };
    }
    if (kind === 'set') {
      const probe = el.cloneNode();
      probe.value = text;
      if (el.type === 'range' ? text.trim() === '' || Number.isNaN(Number(text)) : probe.value.toLowerCase() !== text.toLowerCase()) {
        throw new Miss('bad', `${out.words} does not take ${quote(text)}: write it like ${HINT[el.type]}`);
      }
      out.value = probe.value;
      reach(el);
      out.keys = el.type === 'range' ? slides(el, Number(probe.value)) : digits(el, text);
    }
    return out;
  };
  // conceal has a field show dots for what it holds: pictures cannot be searched for words.
  const conceal = (target) => {
    const { el } = field(target);
    el.style.setProperty('-webkit-text-security', 'disc', 'important');
    return { words: describe(el) };
  };
  // choosing tells how options are chosen: with keys, or one by one with the mouse where they lie open.
  const choosing = (el, options) => {
    const open = el.multiple || el.size > 1;
    reach(el);
    return { keys: open ? [] : keysOf(el, options[0]), places: open ? options.map((o) => o.index) : [], indices: options.map((o) => o.index) };
  };
  // optionAt is where an option of an open list lies. A list scrolls to what was chosen
  // last in a task of its own, which may still be to come.
  const optionAt = async (target, index) => {
    const el = find(target);
    await tick();
    const option = el.options[index];
    if (!option) throw new Miss('stale', target);
    option.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    const at = spot(option);
    return { ref: target, words: quote(option.label, 60), x: at.x ?? -1, y: at.y ?? -1 };
  };
  // took says whether a field has what keys were to give it.
  const took = (target, value, indices) => {
    const el = find(target);
    if (!indices) return { held: el.value === value };
    const now = [...el.selectedOptions].map((o) => o.index);
    return { held: now.length === indices.length && indices.every((i) => now.includes(i)) };
  };
  // enforce sets what keys could not.
  const enforce = (target, value, indices) => {
    const el = find(target);
    el.focus();
    if (!indices) el.value = value;
    else if (!el.multiple) el.selectedIndex = indices[0];
    else for (const o of el.options) o.selected = indices.includes(o.index);
    changed(el);
    return true;
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
    const words = describe(el);
    return { ref: ref(el), words, kind, ...choosing(el, chosen(el, words, names)) };
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
  const FIELD = 'input[autocomplete^="cc-"], input[name="cardnumber"]';
  const CARD = FIELD + ', iframe[src*="js.stripe.com"], iframe[src*="paypal.com"], iframe[src*="braintree"], iframe[src*="adyen.com"], iframe[src*="checkout.com"]';
  const origin = (d) => d.defaultView?.origin ?? '';
  const carded = (d) => d.querySelector(FIELD) !== null || [...d.querySelectorAll('iframe')].some((f) => f.contentDocument?.querySelector(FIELD));
  const pays = () => document.querySelector(CARD) !== null || [...document.querySelectorAll('iframe')].some((f) => f.contentDocument?.querySelector(CARD));
  // FILLS are fields: to go to one and to fill it in sets nothing off.
  const FILLS = 'input:not([type=button], [type=submit], [type=image], [type=reset]), textarea, select, option';
  const bare = (address) => address.split('#')[0];
  // leaves says that a click goes to another document, and no script of this one has a word in it that can be seen.
  const leaves = (link) => /^https?:/.test(link.href) && bare(link.href) !== bare(link.ownerDocument.URL) && !link.closest('[onclick], [role=button]');
  const unseen = (f) => f.type === 'hidden' || !f.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  // fieldsOf tells what a form would send, what is seen first: a page may hide as much before it as it likes.
  const fieldsOf = (form) => {
    const sent = [...form.elements].filter((f) => {
      if (!f.name || f.disabled || f.tagName === 'BUTTON' || ['submit', 'image', 'reset', 'button'].includes(f.type)) return false;
      return (f.type !== 'checkbox' && f.type !== 'radio') || f.checked;
    });
    const hidden = new Map(sent.map((f) => [f, unseen(f)]));
    sent.sort((a, b) => hidden.get(a) - hidden.get(b));
    const fields = sent.slice(0, 500).map((f) => {
      const secret = f.type === 'password' || /^cc-|password|one-time-code/.test(f.getAttribute('autocomplete') || '');
      return { name: tidy(f.name, 60), value: secret ? (f.value ? '••••' : '') : tidy(String(f.value), 2000), hidden: hidden.get(f) };
    });
    return { fields, left: sent.length - fields.length };
  };
  const touches = (target, enter) => {
    let el = target === '' ? focused() : find(target);
    const nothing = { link: '', method: '', action: '', fields: [], left: 0, acts: false, payment: false, origin: '', element: '' };
    if (!el || el === el.ownerDocument.body) return { ...nothing, origin: origin(el?.ownerDocument ?? document) };
    // The keyboard is in a frame that these eyes do not see into: of another site, or of none.
    if (el.tagName === 'IFRAME' || el.tagName === 'FRAME') return { ...nothing, acts: true, element: describe(el) };
    const label = el.closest('label');
    if (label?.control && !el.closest('button, a[href], ' + FILLS)) el = label.control;
    const out = { ...nothing, payment: el.matches(CARD), origin: origin(el.ownerDocument) };
    const link = el.closest('a[href], area[href]');
    if (link) out.link = String(link.href);
    const button = el.closest('button, input[type=submit], input[type=image]');
    out.element = describe(button ?? link ?? el);
    const sends = enter ? el : button && button.type !== 'button' && button.type !== 'reset' ? button : null;
    const form = sends && (sends.form || sends.closest('form'));
    if (form) {
      // Enter in a field is a click on the form's first button that sends, which may have its own ways.
      const first = (f) => f.form === form && f.type !== 'button' && f.type !== 'reset';
      const by = sends === button ? button : ([...form.getRootNode().querySelectorAll('button, input[type=submit], input[type=image]')].find(first) ?? sends);
      const own = (name) => (by.hasAttribute('form' + name) ? by.getAttribute('form' + name) : form.getAttribute(name)) || '';
      const method = own('method').toUpperCase();
      out.method = method === 'POST' || method === 'DIALOG' ? method : 'GET';
      out.action = new URL(own('action') || form.ownerDocument.URL, form.ownerDocument.baseURI).href;
      Object.assign(out, fieldsOf(form));
    }
    out.acts = sends !== null || !(el.matches(FILLS) || el.isContentEditable || (link && !button && leaves(link)));
    // A script may take the click of a link, too, which nobody can see from here. Where a
    // card is asked for that may pay; elsewhere what it sends is held by the goal's risk.
    if (link && carded(el.ownerDocument)) out.payment = true;
    if (out.acts) out.payment ||= el.ownerDocument.querySelector(CARD) !== null || pays();
    return out;
  };

  const guarded = (f) => async (...args) => {
    try {
      forgetLabels();
      const ok = await f(...args);
      return JSON.stringify({ ok, last: lastId, frames: lastFrame });
    } catch (e) {
      if (e instanceof Miss) return JSON.stringify({ code: e.code, message: e.message, last: lastId, frames: lastFrame });
      throw e;
    }
  };
  // through is where a point of a frame of another site is in this document. It is
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
  // documents are this one and those of frames, wherever in it or in a shadow root they stand.
  const documents = (root = document, out = [document]) => {
    for (const el of root.querySelectorAll('*')) {
      const doc = el.tagName === 'IFRAME' || el.tagName === 'FRAME' || el.tagName === 'OBJECT' ? inner(el) : null;
      if (doc) out.push(doc);
      const inside = doc ?? shadowOf(el);
      if (inside) documents(inside, out);
    }
    return out;
  };
  const focusOn = (target) => {
    const el = find(target);
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    el.focus();
    if (focused() !== el && !within(focused() ?? document, el)) throw new Miss('bad', `${describe(el)} cannot have the keyboard: click it`);
    return { words: describe(el) };
  };

  const calls = {
    snapshot: guarded(snapshot), mark: guarded(mark), conceal: guarded(conceal), diff: guarded(diff), rest: guarded(rest), aim: guarded(aim), prepare: guarded(prepare),
    caret: guarded(caret), frame: guarded(frame), optionAt: guarded(optionAt), took: guarded(took), enforce: guarded(enforce), choose: guarded(choose), ticked: guarded(ticked), place: guarded(place),
    area: guarded(area), fileInput: guarded(fileInput), until: guarded(until), marks: guarded(marks), element,
    touches: guarded(touches), pays: guarded(pays), cards: guarded(() => carded(document)), focusOn: guarded(focusOn), calm: guarded(calm), landed: guarded(landed), through: guarded(through),
    release: guarded(release), again: guarded(again), rooted: guarded(rooted), documents,
    from: (refs, inside) => {
      lastId = Math.max(lastId, refs);
      lastFrame = Math.max(lastFrame, inside);
      return calls;
    },
    adopt,
    hold: (el, number) => foreign.set(number, new WeakRef(el)),
    parts: { tidy, roleOf, nameOf, textOf, statesOf, ref, below, drawn, seen, inner, collect, queryAll, offset, focused, clickable, quote, Miss, find, above, foreign, shadowOf },
    also: (more) => {
      for (const [name, f] of Object.entries(more)) calls[name] = guarded(f);
    },
  };
  return calls;
})();
