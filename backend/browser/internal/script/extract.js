// What the agent looks up and reads: it is on snapshot.js and runs in the same
// world. Nothing here alters the page.
(() => {
  const { tidy, roleOf, nameOf, textOf, statesOf, ref, below, drawn, seen, inner, collect, queryAll, offset, focused, clickable, quote, find, Miss } = goalpost.parts;

  const ROLES = {
    TR: 'row', TD: 'cell', TH: 'columnheader', UL: 'list', OL: 'list', LI: 'listitem', P: 'paragraph', ARTICLE: 'article', ASIDE: 'complementary',
    HEADER: 'banner', FOOTER: 'contentinfo', SECTION: 'region', FIGURE: 'figure', FIELDSET: 'group', LABEL: 'label', BLOCKQUOTE: 'blockquote',
    PRE: 'code', CODE: 'code', OPTION: 'option', SVG: 'img', svg: 'img', DL: 'list', DT: 'term', DD: 'definition', HR: 'separator', OUTPUT: 'status',
  };
  const roleIn = (el) => roleOf(el) || ROLES[el.tagName] || (clickable(el) ? 'clickable' : '');

  // all gives every element that is drawn, shadow roots and frames included.
  function* all(n) {
    if (n.nodeType !== 1 || !drawn(n)) return;
    yield n;
    const doc = n.tagName === 'IFRAME' || n.tagName === 'FRAME' ? inner(n) : null;
    if (doc) yield* all(doc.documentElement);
    for (const c of below(n)) yield* all(c);
  }
  const secret = (name, el) => name === 'value' && el.type === 'password';
  const line = (el, attributes) => {
    const role = roleIn(el) || el.tagName.toLowerCase();
    const name = nameOf(el, role) || textOf(el, 120);
    const off = offset(el);
    const r = el.getBoundingClientRect();
    const parts = [ref(el), role];
    if (name) parts.push(quote(name, 120));
    parts.push(...statesOf(el, role, focused()));
    for (const a of attributes) {
      const said = a === 'text' ? textOf(el, 500) : a === 'value' ? el.value : el.getAttribute(a);
      if (said !== null && said !== undefined) parts.push(tidy(a, 40) + '=' + (secret(a, el) ? '"••••"' : quote(said, 500)));
    }
    parts.push(`at ${Math.round(r.x + off.x)},${Math.round(r.y + off.y)} ${Math.round(r.width)}x${Math.round(r.height)}`);
    if (!seen(el)) parts.push('not visible');
    return parts.join(' ');
  };
  // seek finds what fits a text, a role and a selector, at most 50.
  const seek = (text, role, css, attributes) => {
    const want = tidy(text, 300).toLowerCase();
    let list;
    if (css) {
      try {
        list = queryAll(document, css, [], 2000);
      } catch {
        throw new Miss('bad', `${quote(css)} is not a CSS selector`);
      }
    } else if (role.toLowerCase() === 'option') {
      // Those of a closed list are not drawn.
      list = [...all(document.documentElement)].flatMap((el) => (el.tagName === 'SELECT' ? [...el.options] : roleOf(el) === 'option' ? [el] : []));
      return options(list.filter((o) => !want || tidy(o.label ?? textOf(o), 300).toLowerCase().includes(want)));
    } else if (role) list = [...all(document.documentElement)];
    else {
      // The smallest thing that says it: what can be used, else the text itself.
      const { items } = collect();
      const named = items.filter((i) => i.name.toLowerCase().includes(want));
      list = [...new Set(named.map((i) => i.el))];
    }
    const wanted = role.toLowerCase();
    const fits = (el) => {
      if (wanted && roleIn(el) !== wanted) return false;
      if (!want || (!css && !role)) return true;
      return (nameOf(el, roleIn(el)) + ' ' + textOf(el, 2000)).toLowerCase().includes(want);
    };
    const found = list.filter(fits);
    return { lines: found.slice(0, 50).map((el) => line(el, attributes)), count: found.length };
  };

  // options tells many in short: they are chosen by their names.
  const options = (list) => ({
    count: list.length,
    lines: list.slice(0, 400).map((o) => {
      const of = o.closest('select');
      const states = (o.selected || o.getAttribute('aria-selected') === 'true' ? ' selected' : '') + (o.disabled ? ' disabled' : '');
      return (of ? ref(of) + ' has ' : ref(o) + ' ') + 'option ' + quote(o.label ?? textOf(o), 120) + states;
    }),
  });

  // Markdown.

  const ASIDE = new Set(['NAV', 'ASIDE', 'FOOTER', 'HEADER']);
  const SIDES = new Set(['navigation', 'complementary', 'contentinfo', 'banner', 'search']);
  const NEVER = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'DATALIST', 'SVG', 'svg', 'BUTTON', 'SELECT']);
  const BLOCKS = new Set([
    'P', 'DIV', 'SECTION', 'ARTICLE', 'MAIN', 'UL', 'OL', 'LI', 'TABLE', 'PRE', 'BLOCKQUOTE', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'FORM',
    'FIELDSET', 'FIGURE', 'DL', 'DT', 'DD', 'HR', 'NAV', 'ASIDE', 'FOOTER', 'HEADER', 'DETAILS', 'SUMMARY', 'ADDRESS', 'BODY', 'IFRAME', 'DIALOG',
  ]);
  const plain = (s) => String(s).toWellFormed().replace(/\p{Cf}/gu, '').replace(/[^\P{Cc}\n\t]/gu, ' ');

  class Page {
    constructor(whole) {
      this.whole = whole;
      this.blocks = [];
      this.run = '';
      this.size = 0;
    }
    end(prefix = '') {
      const said = this.run.replace(/[ \t\n]+/g, ' ').replace(/ ?\u0001 ?/g, '\n').trim();
      this.run = '';
      if (said) this.push(prefix + said);
    }
    push(block) {
      this.blocks.push(block);
      this.size += block.length;
    }
    children(n, depth) {
      for (const c of below(n)) this.node(c, depth);
    }
    node(n, depth) {
      if (this.size > 1 << 20 || depth > 400) return;
      if (n.nodeType === 3) {
        this.run += plain(n.data.slice(0, 100000));
        return;
      }
      if (n.nodeType !== 1 || NEVER.has(n.tagName) || !drawn(n) || n.getAttribute('aria-hidden') === 'true') return;
      const role = roleOf(n);
      if (!this.whole && (SIDES.has(role) || (ASIDE.has(n.tagName) && !n.closest('main, article, [role=main]')))) return;
      switch (n.tagName) {
        case 'BR':
          this.run += '\u0001';
          return;
        case 'IMG':
          if (n.alt) this.run += `![${plain(n.alt)}]`;
          return;
        case 'CODE':
        case 'KBD':
        case 'SAMP':
          if (n.parentElement?.tagName !== 'PRE') {
            this.run += '`' + plain(n.textContent) + '`';
            return;
          }
          break;
        case 'A': {
          const before = this.run;
          this.run = '';
          this.children(n, depth + 1);
          const words = this.run.replace(/\s+/g, ' ').trim();
          const href = typeof n.href === 'string' && /^https?:/.test(n.href) ? n.href : '';
          const short = href.startsWith(location.origin + '/') ? href.slice(location.origin.length) : href;
          const link = words && short ? `[${words}](${plain(short).slice(0, 200)})` : words;
          const gap = /\s$/.test(this.run) ? ' ' : '';
          this.run = before + link + gap;
          return;
        }
        case 'INPUT':
        case 'TEXTAREA':
          if (n.type !== 'password' && n.type !== 'hidden' && n.value && !['checkbox', 'radio', 'submit', 'button'].includes(n.type)) this.run += ` ${plain(n.value.slice(0, 500))} `;
          return;
      }
      if (role === 'heading') {
        this.end();
        this.children(n, depth + 1);
        this.end('#'.repeat(Math.min(6, Number(n.getAttribute('aria-level')) || Number(n.tagName[1]) || 2)) + ' ');
        return;
      }
      if (role === 'table' || role === 'grid') {
        this.end();
        const t = table(n, this.whole);
        if (t) return void this.push(t);
      }
      if (n.tagName === 'PRE') {
        this.end();
        this.push('```\n' + plain(n.textContent).replace(/\n+$/, '') + '\n```');
        return;
      }
      if (n.tagName === 'HR') {
        this.end();
        this.push('---');
        return;
      }
      if (n.tagName === 'UL' || n.tagName === 'OL') {
        this.end();
        this.list(n, depth);
        return;
      }
      if (n.tagName === 'BLOCKQUOTE') {
        this.end();
        const p = new Page(this.whole);
        p.children(n, depth + 1);
        p.end();
        if (p.blocks.length) this.push(p.blocks.join('\n\n').replace(/^/gm, '> '));
        return;
      }
      const doc = n.tagName === 'IFRAME' || n.tagName === 'FRAME' ? inner(n) : null;
      const block = BLOCKS.has(n.tagName) || /^(block|flex|grid|table|list-item|flow-root)/.test(getComputedStyle(n).display);
      if (block) this.end();
      if (doc) this.node(doc.body || doc.documentElement, depth + 1);
      else this.children(n, depth + 1);
      if (block) this.end();
    }
    list(n, depth) {
      const lines = [];
      let number = Number(n.getAttribute('start')) || 1;
      for (const li of below(n)) {
        if (li.nodeType !== 1 || !drawn(li)) continue;
        const p = new Page(this.whole);
        p.children(li, depth + 1);
        p.end();
        if (!p.blocks.length) continue;
        const mark = n.tagName === 'OL' ? `${number++}. ` : '- ';
        lines.push(mark + p.blocks.join('\n').replace(/\n/g, '\n' + ' '.repeat(mark.length)));
      }
      if (lines.length) this.push(lines.join('\n'));
    }
  }
  const cell = (n, whole) => {
    const p = new Page(whole);
    p.children(n, 0);
    p.end();
    return p.blocks.join(' ').replace(/\s+/g, ' ').replace(/\|/g, '\\|');
  };
  const table = (n, whole) => {
    const rows = n.rows ? [...n.rows] : [...n.querySelectorAll('[role=row], tr')];
    const lines = [];
    let wide = 0;
    for (const row of rows) {
      if (!drawn(row)) continue;
      const out = [];
      for (const c of row.cells ?? row.querySelectorAll('[role=cell], [role=gridcell], [role=columnheader], [role=rowheader], td, th')) {
        if (!drawn(c)) continue;
        out.push(cell(c, whole));
        for (let i = 1; i < Math.min(c.colSpan || 1, 50); i++) out.push('');
      }
      if (!out.some((c) => c)) continue;
      wide = Math.max(wide, out.length);
      lines.push(out);
    }
    if (!lines.length) return '';
    const drawRow = (cells) => '| ' + [...cells, ...Array(wide - cells.length).fill('')].join(' | ') + ' |';
    const caption = n.caption ? cell(n.caption, whole) : '';
    return (caption ? caption + '\n\n' : '') + [drawRow(lines[0]), '|' + ' --- |'.repeat(wide), ...lines.slice(1).map(drawRow)].join('\n');
  };
  const subject = () => {
    const body = document.body || document.documentElement;
    const size = (el) => (el.textContent ?? '').length;
    const best = [...document.querySelectorAll('main, [role=main], article')].filter((el) => seen(el)).sort((a, b) => size(b) - size(a))[0];
    return best && size(best) > 0.3 * size(body) ? best : body;
  };
  // read gives from a place on as much as fits, cut at the end of a line.
  const read = (target, tables, whole, from, limit) => {
    const root = target ? find(target) : whole ? document.body || document.documentElement : subject();
    const p = new Page(whole || Boolean(target));
    if (tables) {
      for (const el of [root, ...root.querySelectorAll('table, [role=table], [role=grid]')]) {
        if (!['table', 'grid'].includes(roleOf(el)) || !drawn(el)) continue;
        const t = table(el, true);
        if (t) p.push(t);
      }
    } else {
      const doc = inner(root);
      p.node(doc ? doc.body : root, 0);
      p.end();
    }
    const text = p.blocks.join('\n\n');
    if (from >= text.length) return { text: '', next: 0, total: text.length };
    let end = Math.min(text.length, from + limit);
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end);
      if (line > from + limit / 2) end = line + 1;
      else if (/[\uD800-\uDBFF]/.test(text[end - 1])) end--;
    }
    return { text: text.slice(from, end), next: end < text.length ? end : 0, total: text.length };
  };
  // source is the document as it is, without passwords that it was sent with.
  const source = () => {
    let html = document.documentElement.outerHTML;
    if (/type\s*=\s*.?password/i.test(html)) {
      const copy = new DOMParser().parseFromString(html, 'text/html');
      for (const field of copy.querySelectorAll('input[type=password i]')) field.removeAttribute('value');
      html = copy.documentElement.outerHTML;
    }
    return `<!doctype html>\n${html}`;
  };
  // at is what lies at a point of the viewport.
  const at = (x, y) => {
    const el = find(`at=${x},${y}`);
    const role = roleIn(el) || el.tagName.toLowerCase();
    const name = nameOf(el, role) || textOf(el, 60);
    return { words: `${role}${name ? ' ' + quote(name, 80) : ''} at ${x},${y}` };
  };
  // documents are the page's and those of its frames that can be looked into. Their
  // origin is what Chromium says: a frame in a sandbox has the address of one, and none.
  function* documents(doc) {
    yield doc;
    for (const el of doc.querySelectorAll('iframe, frame')) if (inner(el)) yield* documents(inner(el));
  }
  const originOf = (doc) => doc.defaultView?.origin ?? 'null';
  const origins = () => [...new Set([...documents(document)].map(originOf))].filter((o) => /^https?:/.test(o)).slice(0, 20);
  // loginForm finds the one password field of a document of this origin, and the field
  // for the user beside it.
  const loginForm = (origin) => {
    const held = [...documents(document)].filter((doc) => originOf(doc) === origin);
    if (!held.length) throw new Miss('elsewhere', `the page is of ${location.origin} and not of ${origin}`);
    let missed;
    for (const doc of held) {
      try {
        return formIn(doc);
      } catch (e) {
        if (!(e instanceof Miss)) throw e;
        missed ??= e;
      }
    }
    throw missed;
  };
  const formIn = (doc) => {
    const fields = [...all(doc.documentElement)].filter((el) => el.tagName === 'INPUT' && el.ownerDocument === doc && seen(el) && !el.disabled && !el.readOnly);
    const passwords = fields.filter((el) => el.type === 'password' && el.autocomplete !== 'new-password');
    if (passwords.length > 1) throw new Miss('many', `${passwords.length} fields ask for a password: this is no form to log in with`);
    const names = fields.filter((el) => ['text', 'email', 'tel'].includes(el.type));
    const named = names.filter((el) => /username|email|webauthn/.test(el.autocomplete) || el.type === 'email' || /user|login|mail|account/i.test(`${el.name} ${el.id}`));
    const [password] = passwords;
    if (!password) {
      if (named.length !== 1) throw new Miss('none', 'the page asks for no login');
      return { user: ref(named[0]), password: '' };
    }
    const before = (list) => list.filter((el) => el.form === password.form && el.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1);
    const user = before(named) ?? before(names);
    return { user: user ? ref(user) : '', password: ref(password) };
  };
  // belongs says that a field is still there, in a document of this origin.
  const belongs = (target, origin) => ({ held: originOf(find(target).ownerDocument) === origin });
  goalpost.also({ seek, read, source, at, loginForm, origins, belongs });
})();
