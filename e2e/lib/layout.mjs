// Finds what a user would call broken in a page's layout. `faults` runs in the page.

/** Returns descriptions of elements that are cut off, out of reach, covered, or scroll sideways. */
export function faults() {
  const found = [];
  const name = (e) => {
    const id = e.closest("[data-testid]")?.dataset.testid ?? "";
    const text = (e.getAttribute("aria-label") ?? e.innerText ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `${e.tagName.toLowerCase()}${id && `#${id}`} ${JSON.stringify(text)}`;
  };
  const style = (e) => getComputedStyle(e);
  const scrolls = (e, axis) => /auto|scroll/.test(style(e)[`overflow${axis}`]);
  /** Terminals and pages in panes have their own sizes; dockview hides tabs without space behind a menu. */
  const foreign = (e) =>
    e.closest(".xterm, canvas, .uplot, [aria-hidden=true], [inert], [data-sonner-toast], .dv-live-region");

  if (document.documentElement.scrollWidth > innerWidth) found.push("the window scrolls sideways");
  for (const e of document.body.querySelectorAll("*")) {
    if (foreign(e) || !e.checkVisibility({ visibilityProperty: true })) continue;
    const css = style(e);
    const wide = e.scrollWidth - e.clientWidth > 1 && e.clientWidth > 1;
    if (wide && scrolls(e, "X") && !e.matches("pre, code, .sideways, .sideways *"))
      found.push(`${name(e)} scrolls sideways`);
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (wide && own && css.overflowX === "hidden" && css.textOverflow !== "ellipsis" && css.webkitLineClamp === "none")
      found.push(`${name(e)} is cut without a mark`);
  }

  const dialogs = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')];
  const top = dialogs.at(-1) ?? document.body;
  const controls =
    "button, a[href], input, select, textarea, summary, [role='button'], [role='menuitem'], [role='option']";
  for (const e of top.querySelectorAll(controls)) {
    if (foreign(e) || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    e.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = e.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    const x = (box.left + box.right) / 2;
    const y = (box.top + box.bottom) / 2;
    if (box.left < -1 || box.right > innerWidth + 1 || y < 0 || y > innerHeight) {
      found.push(`${name(e)} is out of the window at ${Math.round(box.left)},${Math.round(box.top)}`);
      continue;
    }
    const hit = document.elementFromPoint(x, y);
    const label = e.labels?.[0] ?? e.closest("label");
    // A short message may cover other elements for a few seconds.
    if (!hit || hit.closest("[data-sonner-toaster]")) continue;
    if (!e.contains(hit) && !hit.contains(e) && !label?.contains(hit))
      found.push(`${name(e)} is covered by ${name(hit)}`);
  }
  return [...new Set(found)];
}

/**
 * Runs in a page of a phone: returns the controls that are too small for a finger. A control with a label is as large as
 * the label. Links within a text are as high as its lines, and what programs draw in panes is theirs.
 */
export function smallTargets() {
  const least = 44;
  const found = [];
  const controls =
    "button, a[href], input, select, textarea, summary, [role='button'], [role='menuitem'], [role='option'], [role='tab']";
  for (const e of document.body.querySelectorAll(controls)) {
    if (e.closest(".xterm, canvas, .uplot, [aria-hidden=true], [inert], .markdown a, .dv-live-region")) continue;
    if (!e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const boxes = [e, e.closest("label"), e.labels?.[0]].filter(Boolean).map((b) => b.getBoundingClientRect());
    if (boxes[0].width === 0) continue;
    if (boxes.some((b) => b.width >= least - 0.5 && b.height >= least - 0.5)) continue;
    const id = e.closest("[data-testid]")?.dataset.testid ?? "";
    const text = (e.getAttribute("aria-label") ?? e.innerText ?? e.value ?? "").trim().slice(0, 30);
    const { width, height } = boxes[0];
    found.push(`${e.tagName.toLowerCase()}#${id} "${text}" is ${Math.round(width)}x${Math.round(height)}`);
  }
  return [...new Set(found)];
}
