// Runs in an isolated world of every document, before its own scripts, and tells
// the host what Chromium without a window shows to nobody: the title between
// navigations, the pointer's shape, the lists and pickers that would open, the
// context menu, what the user copies, and which permission a page asks for.
// Only what the user really did counts: events that a script made are passed over.
// A popup's first document hands its global object to the next one: what counts
// is the document.
if (globalThis.goalpostDocument?.deref() !== document) globalThis.goalpostHand = (() => {
  globalThis.goalpostDocument = new WeakRef(document);
  const tell = (message) => goalpostTell(JSON.stringify(message));
  const text = (s, limit) => String(s ?? '').slice(0, limit).toWellFormed();
  const held = new Map();
  let last = 0;
  const hold = (el) => {
    held.set(++last, new WeakRef(el));
    if (held.size > 50) held.delete(held.keys().next().value);
    return last;
  };
  const kept = (n) => {
    const el = held.get(n)?.deref();
    return el?.isConnected ? el : null;
  };

  // offset is where this document is in the window. Inside another origin that
  // cannot be told from here: far asks the host to add it.
  const offset = () => {
    const off = { x: 0, y: 0 };
    const far = { x: 0, y: 0, far: true };
    try {
      for (let view = self; view !== view.parent; view = view.parent) {
        const holder = view.frameElement;
        if (!holder) return far;
        const r = holder.getBoundingClientRect();
        off.x += r.x + holder.clientLeft;
        off.y += r.y + holder.clientTop;
      }
    } catch {
      return far;
    }
    return off;
  };
  const box = (el) => {
    const off = offset();
    const r = el.getBoundingClientRect();
    return { ...off, x: r.x + off.x, y: r.y + off.y, width: r.width, height: r.height };
  };
  const target = (e) => e.composedPath()[0];
  const on = (type, f) =>
    addEventListener(type, (e) => { if (e.isTrusted) f(e); }, { capture: true, passive: false });

  // The title. One that changes all the time is told five times a second.
  if (self === top) {
    let said = '';
    let waiting = false;
    const title = () => {
      const now = document.title.slice(0, 300);
      if (now === said || waiting) return;
      said = now;
      tell({ t: 'title', text: now });
      waiting = true;
      setTimeout(() => {
        waiting = false;
        title();
      }, 200);
    };
    const begin = () => {
      title();
      if (document.head) {
        new MutationObserver(title).observe(document.head, { subtree: true, childList: true, characterData: true });
      }
    };
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
    else begin();
  }

  // The pointer's shape.
  let shape = '';
  const shapeOf = (el, x, y) => {
    if (el?.nodeType !== 1) return 'default';
    const style = getComputedStyle(el).cursor;
    const word = style.split(',').pop().trim();
    if (word !== 'auto') return word;
    if (el.matches('textarea, input:not([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio], [type=range], [type=color], [type=file], [type=image])')) return 'text';
    if (el.isContentEditable) return 'text';
    const caret = document.caretPositionFromPoint?.(x, y);
    if (caret?.offsetNode.nodeType !== 3 || getComputedStyle(el).userSelect === 'none') return 'default';
    const range = document.createRange();
    range.selectNodeContents(caret.offsetNode);
    for (const r of range.getClientRects()) {
      if (x >= r.left && x <= r.right && y >= r.top && y <= r.bottom) return 'text';
    }
    return 'default';
  };
  on('mousemove', (e) => {
    const now = shapeOf(target(e), e.clientX, e.clientY);
    if (now === shape && self === top) return;
    shape = now;
    tell({ t: 'cursor', text: now });
  });

  // Lists and pickers. What Chromium would open by itself is seen by nobody.
  const openList = (el) => {
    const where = box(el);
    const options = [...el.options].slice(0, 1000).map((o) => ({
      label: text(o.label || o.text, 200), group: text(o.parentElement?.tagName === 'OPTGROUP' ? o.parentElement.label : '', 100),
      disabled: o.disabled || (o.parentElement?.tagName === 'OPTGROUP' && o.parentElement.disabled), selected: o.selected,
    }));
    tell({ t: 'choose', n: hold(el), ...where, options });
    return true;
  };
  const drops = (el) => el?.tagName === 'SELECT' && !el.multiple && el.size <= 1 && !el.matches(':disabled');
  const PICKS = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color']);
  const picks = (el) => el?.tagName === 'INPUT' && PICKS.has(el.type) && !el.matches(':disabled') && !el.readOnly;
  const openPicker = (el) => {
    const where = box(el);
    tell({ t: 'pick', n: hold(el), ...where, type: el.type, value: text(el.value, 40), min: text(el.min, 40), max: text(el.max, 40) });
    return true;
  };
  const select = (e) => {
    const el = target(e);
    return el?.tagName === 'OPTION' ? el.closest('select') : el;
  };
  on('mousedown', (e) => {
    const el = select(e);
    if (e.button !== 0 || !drops(el) || !openList(el)) return;
    e.preventDefault();
    el.focus();
  });
  on('click', (e) => {
    const el = target(e);
    if (picks(el) && openPicker(el)) e.preventDefault();
    else if (suggests(el)) suggest(el);
  });
  on('keydown', (e) => {
    const el = target(e);
    const opens = e.key === ' ' || e.key === 'F4' || (e.altKey && (e.key === 'ArrowDown' || e.key === 'ArrowUp'));
    if (drops(el) && (opens || e.key === 'Enter') && openList(el)) e.preventDefault();
    else if (picks(el) && (opens || (el.type === 'color' && e.key === 'Enter')) && openPicker(el)) e.preventDefault();
  });

  const suggests = (el) => el?.tagName === 'INPUT' && el.list && !el.matches(':disabled') && !el.readOnly;
  let suggesting = false;
  const suggest = (el) => {
    const where = box(el);
    const typed = el.value.toLowerCase();
    const options = [...el.list.options]
      .filter((o) => !o.disabled && o.value && (o.value.toLowerCase().includes(typed) || o.label.toLowerCase().includes(typed)) && o.value !== el.value)
      .slice(0, 100)
      .map((o) => ({ label: text(o.value, 200), group: text(o.label === o.value ? '' : o.label, 100), disabled: false, selected: false }));
    if (options.length > 0) {
      suggesting = true;
      tell({ t: 'suggest', n: hold(el), ...where, options });
    } else calm();
  };
  const calm = () => {
    if (suggesting) tell({ t: 'calm' });
    suggesting = false;
  };
  on('input', (e) => { if (suggests(target(e))) suggest(target(e)); });
  on('focusout', calm);

  // The other button. The page may have a menu of its own.
  on('contextmenu', (e) => {
    const off = offset();
    const path = e.composedPath().filter((n) => n.nodeType === 1);
    const link = path.find((n) => (n.tagName === 'A' || n.tagName === 'AREA') && n.href);
    const el = path[0];
    const image = el?.tagName === 'IMG' ? el.currentSrc || el.src : '';
    const editable = Boolean(el?.isContentEditable || el?.matches?.('textarea, input') && !el.readOnly && !el.matches(':disabled'));
    const menu = {
      t: 'menu', far: off.far, x: e.clientX + off.x, y: e.clientY + off.y, link: text(link ? String(link.href) : '', 4000),
      image: text(image, 4000), selected: text(selected(), 100000), editable,
    };
    setTimeout(() => { if (!e.defaultPrevented) tell(menu); });
  });
  const selected = () => {
    const el = document.activeElement;
    if ((el?.tagName === 'TEXTAREA' || (el?.tagName === 'INPUT' && el.type !== 'password')) && el.selectionStart !== el.selectionEnd) {
      return el.value.slice(el.selectionStart, el.selectionEnd);
    }
    return String(getSelection() ?? '');
  };

  // What is copied. The page may have put something else in its place.
  const copied = (e) => {
    if (!e.isTrusted) return;
    const said = e.defaultPrevented ? e.clipboardData?.getData('text/plain') : selected();
    if (said) tell({ t: 'copied', text: text(said, 1 << 20) });
  };
  addEventListener('copy', copied);
  addEventListener('cut', copied);
  // A page's own Copy button, see permissions.js. Whether it was pressed is known here,
  // whatever the page says.
  addEventListener('goalpost-wrote', (e) => {
    if (navigator.userActivation?.isActive && typeof e.detail === 'string' && e.detail) {
      tell({ t: 'copied', text: text(e.detail, 1 << 20) });
    }
  });

  // What the user logs in with. A form may be sent by its script, which stops
  // the event, or be no form at all: then a click or Enter beside a password.
  const named = (secret) => {
    const all = [...(secret.form ?? document).querySelectorAll('input')];
    const before = all.slice(0, all.indexOf(secret)).filter((f) => /^(text|email|tel|url|)$/.test(f.type) && f.checkVisibility());
    return all.find((f) => /username|email/.test(f.autocomplete) && f !== secret) ?? before.pop();
  };
  const secretIn = (scope) => [...scope.querySelectorAll('input[type=password]')].find((f) => f.checkVisibility());
  const sent = (scope) => {
    const secret = scope && secretIn(scope);
    const user = secret && named(secret);
    if (secret?.value && user?.value) {
      tell({ t: 'sent', origin: location.origin, user: text(user.value, 300), password: text(secret.value, 1000) });
    }
  };
  on('submit', (e) => sent(target(e)));
  on('click', (e) => {
    const pressed = target(e)?.closest?.('button, input[type=button], [role=button]');
    if (pressed && !(pressed.form ?? pressed.closest('form'))) sent(document);
  });
  on('keydown', (e) => {
    if (e.key === 'Enter' && target(e)?.tagName === 'INPUT' && !target(e).form) sent(document);
  });

  // What the page's own world asks permission for, see permissions.js.
  addEventListener('goalpost-ask', (e) => {
    const [name, id] = String(e.detail).split(' ');
    tell({ t: 'permission', type: text(name, 40), text: text(id, 20), origin: location.origin });
  });

  const changed = (el) => {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  };
  return {
    choose: (n, index) => {
      const el = kept(n);
      if (!el?.options?.[index] || el.options[index].disabled) return false;
      el.focus();
      if (el.selectedIndex !== index) {
        el.selectedIndex = index;
        changed(el);
      }
      return true;
    },
    set: (n, value) => {
      const el = kept(n);
      if (!el) return false;
      el.focus();
      el.value = value;
      changed(el);
      return el.value.toLowerCase() === value.toLowerCase();
    },
    // login fills in a login, if the document is still the one that it belongs to.
    login: (origin, user, password) => {
      const filled = [];
      if (location.origin !== origin) return filled;
      const put = (el, value, what) => {
        if (!el || el.disabled || el.readOnly) return;
        el.focus();
        el.value = value;
        changed(el);
        filled.push(what);
      };
      const secret = secretIn(document);
      // Of a login in two steps the first one asks for the name alone.
      const alone = () => [...document.querySelectorAll('input')].find((f) => /username|email/.test(f.autocomplete) && f.checkVisibility());
      put(secret ? named(secret) : alone(), user, 'user');
      if (location.origin === origin && secret?.type === 'password') put(secret, password, 'password');
      return filled;
    },
    said: (id) => {
      dispatchEvent(new CustomEvent('goalpost-said', { detail: id }));
      return true;
    },
  };
})();
