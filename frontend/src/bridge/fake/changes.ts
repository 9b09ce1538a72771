import type { ChangedFile, ChangesView, FileDiff, FileSide, UndoInput, UndoOutput } from "@/bridge/types";

const side = (type: string, size = 0, sha256 = ""): FileSide => ({
  type,
  mode: type ? "644" : "",
  size,
  sha256,
  target: "",
});

function changed(path: string, change: string, more: Partial<ChangedFile> = {}): ChangedFile {
  return {
    path,
    change,
    before: change === "new" ? side("") : side("file", 812, "3b".repeat(32)),
    after: change === "deleted" ? side("") : side("file", 1_204, "9f".repeat(32)),
    added: change === "deleted" ? 0 : 3,
    removed: change === "new" ? 0 : 2,
    binary: false,
    ignored: false,
    edited_since: false,
    read_by: [],
    runs_check: false,
    protected: "",
    ...more,
  };
}

const check = "go test ./cart/...";

/** The changes of the finished goal in the gallery. */
export const changes: ChangesView = {
  goal_id: "",
  dir: "/home/ada/shop",
  unavailable: "",
  running: false,
  from_step: 0,
  files: [
    changed("cart/cart.go", "changed", { added: 6, removed: 2, read_by: [check] }),
    changed("cart/coupon.go", "new", { added: 32, removed: 0, read_by: [check] }),
    changed("cart/coupon_test.go", "changed", { added: 21, removed: 4, read_by: [check], runs_check: true }),
    changed("public/logo.png", "changed", { added: -1, removed: -1, binary: true }),
    changed("web/cart.css", "changed", { added: 4, removed: 1, edited_since: true }),
    changed("web/old_coupon.js", "deleted", { removed: 10 }),
  ],
  protected: [
    { path: "cart/cart_test.go", kind: "held", why: "the check runs it" },
    { path: "checkout.spec.ts", kind: "held", why: "the check runs it" },
  ],
  left_out: [{ path: "node_modules", why: "filled by programs" }],
  checkpoints: [{ n: 0, kind: "start", step: 0, at: "2026-11-21T14:00:00.000Z" }],
  undone: false,
  can_redo: false,
  kept_bytes: 41_312,
};

const was = `package cart

// Apply adds a coupon to the cart.
func (c *Cart) Apply(code string) error {
	cp, err :=  c.store.Coupon(code)
	if err != nil {
		return err
	}
	c.Total = c.Total - cp.Off(c.Total)
	return nil
}
`;

const is = `package cart

// Apply adds a coupon to the cart, once. Adding
// the same code again changes nothing.
func (c *Cart) Apply(code string) error {
	if c.Has(code) {
		return nil
	}
	cp, err := c.store.Coupon(code)
	if err != nil {
		return fmt.Errorf("coupon %s: %w", code, err)
	}
	c.Total = c.Total - cp.Off(c.Subtotal())
	return nil
}
`;

const hunks = `@@ -1,11 +1,15 @@
 package cart
 
-// Apply adds a coupon to the cart.
+// Apply adds a coupon to the cart, once. Adding
+// the same code again changes nothing.
 func (c *Cart) Apply(code string) error {
+	if c.Has(code) {
+		return nil
+	}
-	cp, err :=  c.store.Coupon(code)
+	cp, err := c.store.Coupon(code)
 	if err != nil {
-		return err
+		return fmt.Errorf("coupon %s: %w", code, err)
 	}
-	c.Total = c.Total - cp.Off(c.Total)
+	c.Total = c.Total - cp.Off(c.Subtotal())
 	return nil
 }
`;

const picture = (colour: string) =>
  "data:image/svg+xml," +
  encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><circle cx="48" cy="48" r="40" fill="${colour}"/></svg>`,
  );

/** One file of the changes, with its sides. */
export function fileDiff(view: ChangesView, path: string): FileDiff | undefined {
  const file = view.files?.find((f) => f.path === path);
  if (!file) return undefined;
  const nothing = { is_text: false, was: "", is: "", hunks: "", patch: "", was_image: "", is_image: "" };
  if (file.binary) return { ...file, ...nothing, was_image: picture("#7aa2ff"), is_image: picture("#45c08a") };
  return { ...file, ...nothing, is_text: true, was, is, hunks };
}

/** Undoes changes in the fake: files that the user or another program edited stay. */
export function undo(view: ChangesView, input: UndoInput): { view: ChangesView; out: UndoOutput } {
  const there = input.redo
    ? (changes.files ?? []).filter((f) => !view.files?.some((o) => o.path === f.path))
    : view.files;
  const selected = (there ?? []).filter((f) => input.paths.length === 0 || input.paths.includes(f.path));
  const stays = (f: ChangedFile) => f.edited_since && !input.force.includes(f.path);
  const done = selected.filter((f) => !stays(f));
  const out: UndoOutput = {
    to: "the start of the goal",
    done: done.map(({ path, change }) => ({ path, change })),
    skipped: selected
      .filter(stays)
      .map(({ path }) => ({ path, why: "edited later, not by this goal", can_force: true })),
    left_out: view.left_out,
    can_redo: !input.dry_run,
  };
  if (input.dry_run) return { view, out };
  if (input.redo) return { view: { ...changes, can_redo: false }, out };
  return {
    view: { ...view, files: (view.files ?? []).filter((f) => !done.includes(f)), undone: true, can_redo: true },
    out,
  };
}
