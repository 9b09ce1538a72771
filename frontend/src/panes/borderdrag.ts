/** The panes are laid out while the pointer rests, this long after its last movement. */
const restMs = 120;

/** Beyond any screen: the border stops where the panes have their least sizes. */
const farAway = 1e6;

/**
 * Draws only a line while the user drags a border between panes, and lays the panes out when the border is dropped or
 * the pointer rests: every terminal would be drawn again for each movement. dockview still decides the sizes: it gets
 * the movements that count. Escape puts the border back. The returned function detaches.
 */
export function easeBorders(workspace: HTMLElement): () => void {
  let drag: BorderDrag | null = null;
  // In the bubbling phase, after dockview has begun its drag.
  const begin = (e: PointerEvent) => {
    if (!(e.target instanceof HTMLElement) || !e.target.matches(".dv-sash") || e.button !== 0) return;
    drag?.end();
    drag = new BorderDrag(e.target, e);
  };
  workspace.addEventListener("pointerdown", begin);
  return () => {
    drag?.end();
    workspace.removeEventListener("pointerdown", begin);
  };
}

/** One drag of a border, from the press of the button. */
class BorderDrag {
  private readonly line = document.createElement("div");
  private readonly edge: "left" | "top";
  private readonly from: number;
  private readonly start: number;
  private readonly least: number;
  private readonly most: number;
  private pointer: number;
  private frame = 0;
  private rest = 0;
  private passing = false;
  private readonly listening = new AbortController();

  constructor(
    private readonly sash: HTMLElement,
    e: PointerEvent,
  ) {
    this.edge = sash.closest(".dv-split-view-container")?.classList.contains("dv-vertical") ? "top" : "left";
    this.from = this.pointer = this.along(e);
    this.start = this.place();
    this.least = this.placeAt(-farAway);
    this.most = this.placeAt(farAway);
    this.layOut(this.from);
    this.draw();
    if (e.isTrusted) sash.setPointerCapture(e.pointerId); // keeps the cursor, and pages below get no movements
    const { signal } = this.listening;
    window.addEventListener("pointermove", (m) => this.move(m), { capture: true, signal });
    for (const end of ["pointerup", "pointercancel", "contextmenu"])
      window.addEventListener(end, () => this.drop(), { capture: true, signal });
    window.addEventListener("keydown", (k) => this.key(k), { capture: true, signal });
  }

  /** Removes the line. dockview's own drag ends with the event that ended this one. */
  end(): void {
    this.listening.abort();
    cancelAnimationFrame(this.frame);
    window.clearTimeout(this.rest);
    this.line.remove();
  }

  private draw() {
    const { x, y, width, height } = this.sash.getBoundingClientRect();
    this.line.className = "border-line";
    this.line.dataset["testid"] = "border-line";
    Object.assign(this.line.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    document.body.append(this.line);
  }

  private move(e: PointerEvent) {
    if (this.passing) return;
    e.stopImmediatePropagation();
    this.pointer = this.along(e);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const by = Math.min(this.most, Math.max(this.least, this.start + this.pointer - this.from)) - this.start;
      this.line.style.transform = this.edge === "left" ? `translateX(${by}px)` : `translateY(${by}px)`;
    });
    window.clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.layOut(this.pointer), restMs);
  }

  private drop() {
    this.layOut(this.pointer);
    this.end();
  }

  private key(e: KeyboardEvent) {
    if (e.code !== "Escape") return;
    e.preventDefault();
    e.stopImmediatePropagation();
    this.layOut(this.from);
    this.end();
    document.dispatchEvent(new PointerEvent("pointercancel")); // ends dockview's drag
  }

  private along(e: PointerEvent): number {
    return this.edge === "left" ? e.clientX : e.clientY;
  }

  private place(): number {
    return Number.parseFloat(this.sash.style[this.edge]);
  }

  private placeAt(pointer: number): number {
    this.layOut(pointer);
    return this.place();
  }

  /** Lets dockview lay out the panes as if the pointer were there. */
  private layOut(pointer: number) {
    if (!this.sash.isConnected) return;
    this.passing = true;
    document.dispatchEvent(new PointerEvent("pointermove", { clientX: pointer, clientY: pointer }));
    this.passing = false;
  }
}
