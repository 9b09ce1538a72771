// Built from frontend/injected/page.ts by "make injected": do not edit.
(function() {
	// injected/page/native.ts
	function getterOf(prototype, name) {
		const derived = [HTMLElement.prototype, Element.prototype].filter((p) => Object.prototype.isPrototypeOf.call(prototype, p));
		for (const p of [...derived, prototype]) {
			const get = Object.getOwnPropertyDescriptor(p, name)?.get;
			if (get) return get;
		}
		return function() {
			return this[name];
		};
	}
	var getNodeType = getterOf(Node.prototype, "nodeType");
	var getParentElement = getterOf(Node.prototype, "parentElement");
	var getFirstChild = getterOf(Node.prototype, "firstChild");
	var getNextSibling = getterOf(Node.prototype, "nextSibling");
	var getChildNodes = getterOf(Node.prototype, "childNodes");
	var getTextContent = getterOf(Node.prototype, "textContent");
	var getIsConnected = getterOf(Node.prototype, "isConnected");
	var getOwnerDocument = getterOf(Node.prototype, "ownerDocument");
	var getTagName = getterOf(Element.prototype, "tagName");
	var getClassList = getterOf(Element.prototype, "classList");
	var getId = getterOf(Element.prototype, "id");
	var getShadowRoot = getterOf(Element.prototype, "shadowRoot");
	var getAssignedSlot = getterOf(Element.prototype, "assignedSlot");
	var getFirstElement = getterOf(Element.prototype, "firstElementChild");
	var getNextElement = getterOf(Element.prototype, "nextElementSibling");
	var getElementCount = getterOf(Element.prototype, "childElementCount");
	var getChildren = getterOf(Element.prototype, "children");
	var getBody = getterOf(Document.prototype, "body");
	var getRootElement = getterOf(Document.prototype, "documentElement");
	var getDefaultView = getterOf(Document.prototype, "defaultView");
	var getTitle = getterOf(Document.prototype, "title");
	var getActive = getterOf(Document.prototype, "activeElement");
	var getShadowActive = getterOf(ShadowRoot.prototype, "activeElement");
	var nodeTypeOf = (n) => getNodeType.call(n);
	var parentElementOf = (n) => getParentElement.call(n);
	var firstChildOf = (n) => getFirstChild.call(n);
	var nextSiblingOf = (n) => getNextSibling.call(n);
	var childNodesOf = (n) => getChildNodes.call(n);
	var textContentOf = (n) => getTextContent.call(n) ?? "";
	var isConnected = (n) => getIsConnected.call(n);
	var documentOf$1 = (el) => getOwnerDocument.call(el);
	var rootOf = (n) => Node.prototype.getRootNode.call(n);
	var containsNode = (n, other) => Node.prototype.contains.call(n, other);
	var tagNameOf = (el) => getTagName.call(el);
	var classListOf = (el) => getClassList.call(el);
	var idOf$1 = (el) => getId.call(el);
	var shadowRootOf = (el) => getShadowRoot.call(el);
	var slotOf = (el) => getAssignedSlot.call(el);
	var firstElementOf = (el) => getFirstElement.call(el);
	var nextElementOf = (el) => getNextElement.call(el);
	var elementCountOf = (el) => getElementCount.call(el);
	var elementsOf = (el) => getChildren.call(el);
	var attributeOf = (el, name) => Element.prototype.getAttribute.call(el, name);
	var hasAttribute = (el, name) => Element.prototype.hasAttribute.call(el, name);
	var hasAttributes = (el) => Element.prototype.hasAttributes.call(el);
	var attributeNamesOf = (el) => Element.prototype.getAttributeNames.call(el);
	var matchesSelector = (el, selector) => Element.prototype.matches.call(el, selector);
	var rectOf = (el) => Element.prototype.getBoundingClientRect.call(el);
	var rectsOf$1 = (el) => Element.prototype.getClientRects.call(el);
	var checkVisibility = (el, options) => Element.prototype.checkVisibility.call(el, options);
	var scrollToCenter = (el) => Element.prototype.scrollIntoView.call(el, {
		block: "center",
		inline: "center",
		behavior: "instant"
	});
	var bodyElementOf = (doc) => getBody.call(doc);
	var rootElementOf = (doc) => getRootElement.call(doc);
	var viewOf = (doc) => getDefaultView.call(doc);
	var titleOf = (doc) => getTitle.call(doc);
	var activeElementOf = (root) => nodeTypeOf(root) === 9 ? getActive.call(root) : getShadowActive.call(root);
	var hitTest = (root, x, y) => nodeTypeOf(root) === 9 ? Document.prototype.elementFromPoint.call(root, x, y) : ShadowRoot.prototype.elementFromPoint.call(root, x, y);
	var animationsOf = (doc) => Document.prototype.getAnimations.call(doc);
	function queryIn(root, selector) {
		const type = nodeTypeOf(root);
		if (type === 9) return Document.prototype.querySelectorAll.call(root, selector);
		if (type === 1) return Element.prototype.querySelectorAll.call(root, selector);
		return DocumentFragment.prototype.querySelectorAll.call(root, selector);
	}
	function closestOf(el, selector) {
		return Element.prototype.closest.call(el, selector);
	}
	// injected/page/dom.ts
	var isElement = (n) => nodeTypeOf(n) === 1;
	var isTextNode = (n) => nodeTypeOf(n) === 3;
	var isInput = (el) => tagNameOf(el) === "INPUT";
	var isTextArea = (el) => tagNameOf(el) === "TEXTAREA";
	var isSelect = (el) => tagNameOf(el) === "SELECT";
	var isImage = (el) => tagNameOf(el) === "IMG";
	var isLabel = (el) => tagNameOf(el) === "LABEL";
	var isSlot = (el) => tagNameOf(el) === "SLOT";
	var isFrame = (el) => tagNameOf(el) === "IFRAME" || tagNameOf(el) === "FRAME";
	var isAriaHidden = (el) => attributeOf(el, "aria-hidden") === "true";
	var asControl = (el) => tagNameOf(el) === "FORM" ? {} : el;
	function bodyOf(doc) {
		return bodyElementOf(doc) ?? rootElementOf(doc);
	}
	var isEditable = (el) => asControl(el).isContentEditable === true;
	function labelTarget(el) {
		return isLabel(el) && el.control ? el.control : el;
	}
	// injected/page/listeners.ts
	var MAX_ALIKE = 60;
	var listening = new WeakSet();
	var count = 0;
	function addListening(...elements) {
		const was = count;
		for (const n of elements) {
			const el = n;
			if (listening.has(el)) continue;
			listening.add(el);
			count++;
		}
		return count - was;
	}
	function isListening(el) {
		return count > 0 && listening.has(el) && tagNameOf(el) !== "BODY" && tagNameOf(el) !== "HTML";
	}
	function hasAlikeChildren(el) {
		const n = elementCountOf(el);
		if (n < 2 || n > MAX_ALIKE) return false;
		const children = [...elementsOf(el)];
		const tag = children[0] ? tagNameOf(children[0]) : "";
		return children.every((c) => tagNameOf(c) === tag);
	}
	function isDelegated(el) {
		if (count === 0) return false;
		const parent = parentElementOf(el);
		return parent !== null && isListening(parent) && hasAlikeChildren(parent);
	}
	// injected/page/tree.ts
	var closedRoots = new WeakMap();
	var adopted = new Set();
	var adoptListeners = new Set();
	var known = new WeakSet();
	var met = new Set();
	function meetRoot(root) {
		if (!known.has(root)) {
			known.add(root);
			met.add(new WeakRef(root));
		}
		return root;
	}
	var isAttached = (root) => nodeTypeOf(root) === 9 ? viewOf(root) !== null : isConnected(root.host);
	function listMetRoots() {
		const out = [];
		for (const reference of met) {
			const root = reference.deref();
			if (!root || !isAttached(root)) met.delete(reference);
			else out.push(root);
		}
		return out.slice(0, 200);
	}
	function adoptRoot(root) {
		if (closedRoots.has(root.host)) return false;
		closedRoots.set(root.host, root);
		adopted.add(new WeakRef(meetRoot(root)));
		for (const notify of adoptListeners) notify(root);
		return true;
	}
	function onAdoptedRoot(notify) {
		adoptListeners.add(notify);
	}
	function countClosedRoots() {
		let n = 0;
		for (const reference of adopted) {
			const root = reference.deref();
			if (!root) adopted.delete(reference);
			else if (isConnected(root.host) && viewOf(documentOf$1(root.host))) n++;
		}
		return n;
	}
	function shadowOf(el) {
		const shadow = shadowRootOf(el) ?? closedRoots.get(el) ?? null;
		return shadow && meetRoot(shadow);
	}
	function innerDocument(el) {
		try {
			const doc = el.contentDocument;
			return doc && rootElementOf(doc) ? meetRoot(doc) : null;
		} catch {
			return null;
		}
	}
	function parentOf(n) {
		const parent = (isTextNode(n) ? n.assignedSlot : isElement(n) ? slotOf(n) : null) ?? parentElementOf(n);
		if (parent) return parent;
		const root = rootOf(n);
		return nodeTypeOf(root) === 11 && root.host || document;
	}
	function childrenOf(el) {
		const shadow = shadowOf(el);
		if (shadow) return childNodesOf(shadow);
		if (isSlot(el)) {
			const assigned = el.assignedNodes();
			if (assigned.length > 0) return assigned;
		}
		return childNodesOf(el);
	}
	function forEachChild(el, visit, context, shadow = shadowOf(el)) {
		if (!shadow && tagNameOf(el) === "SLOT") for (const c of childrenOf(el)) visit(c, context);
		else for (let c = firstChildOf(shadow ?? el); c; c = nextSiblingOf(c)) visit(c, context);
	}
	function isWithin(node, outer) {
		for (let n = node; n !== document; n = parentOf(n)) if (n === outer) return true;
		return false;
	}
	function focusedElement() {
		let el = activeElementOf(document);
		while (el) {
			const shadow = shadowOf(el);
			const doc = shadow ? null : innerDocument(el);
			const inside = (shadow && activeElementOf(shadow)) ?? (doc && activeElementOf(doc));
			if (!inside) break;
			el = inside;
		}
		return el;
	}
	function queryAll(root, selector, limit = 50, out = []) {
		out.push(...queryIn(root, selector));
		for (const el of queryIn(root, "*")) {
			if (out.length > limit) break;
			const inside = shadowOf(el) ?? (tagNameOf(el) === "IFRAME" || tagNameOf(el) === "FRAME" ? innerDocument(el) : null);
			if (inside) queryAll(inside, selector, limit, out);
		}
		return out;
	}
	function listDocuments(root = document, out = [document]) {
		for (const el of queryIn(root, "*")) {
			const doc = tagNameOf(el) === "IFRAME" || tagNameOf(el) === "FRAME" || tagNameOf(el) === "OBJECT" ? innerDocument(el) : null;
			if (doc) out.push(doc);
			const inside = doc ?? shadowOf(el);
			if (inside) listDocuments(inside, out);
		}
		return out;
	}
	// injected/page/roles.ts
	var TAG_ROLES = {
		BUTTON: "button",
		TEXTAREA: "textbox",
		SUMMARY: "button",
		IMG: "img",
		NAV: "navigation",
		MAIN: "main",
		DIALOG: "dialog",
		FORM: "form",
		TABLE: "table",
		IFRAME: "iframe",
		FRAME: "iframe",
		CANVAS: "canvas",
		VIDEO: "video",
		AUDIO: "audio",
		PROGRESS: "progressbar",
		METER: "meter",
		H1: "heading",
		H2: "heading",
		H3: "heading",
		H4: "heading",
		H5: "heading",
		H6: "heading"
	};
	var INPUT_ROLES = {
		checkbox: "checkbox",
		radio: "radio",
		button: "button",
		submit: "button",
		reset: "button",
		image: "button",
		range: "slider",
		number: "spinbutton",
		search: "searchbox",
		file: "file input",
		color: "color input",
		date: "date input",
		time: "time input",
		month: "month input",
		week: "week input",
		"datetime-local": "datetime-local input",
		hidden: ""
	};
	var words$1 = (list) => new Set(list.split(/\s+/));
	var USABLE = words$1(`button link textbox searchbox combobox listbox option checkbox radio switch slider
  spinbutton tab menuitem menuitemcheckbox menuitemradio treeitem gridcell clickable canvas`);
	var NAMED_BY_TEXT = words$1(`button link option checkbox radio switch tab menuitem menuitemcheckbox
  menuitemradio treeitem gridcell heading clickable tooltip`);
	var NAMED_BY_OWN_TEXT = words$1("treeitem menuitem menuitemcheckbox menuitemradio clickable");
	var CLICKED = words$1("button link option tab menuitem treeitem gridcell clickable");
	var FORMATTING = words$1("B I EM STRONG SMALL CODE SUB SUP MARK ABBR TIME U S CITE Q KBD FONT BR WBR");
	var PICTURES = words$1("img video audio progressbar meter");
	var GROUPS = words$1("navigation main dialog alertdialog alert form table iframe status search");
	var SKIPPED_TAGS$2 = words$1("SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE OPTION OPTGROUP DATALIST");
	var INLINE_TAGS = words$1(`A SPAN B I EM STRONG SMALL CODE SUB SUP LABEL MARK ABBR TIME U S CITE Q KBD VAR SAMP
  FONT BDI BDO DFN DEL INS SLOT WBR SVG svg`);
	var kinds = new Map();
	function tagKind(tag) {
		const cached = kinds.get(tag);
		if (cached !== void 0) return cached;
		const kind = (SKIPPED_TAGS$2.has(tag) ? 1 : 0) | (INLINE_TAGS.has(tag) ? 2 : 0) | (tag === "TD" || tag === "TH" ? 4 : 0);
		if (kinds.size < 1e3) kinds.set(tag, kind);
		return kind;
	}
	function ariaRole(attribute) {
		const first = attribute.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
		const ignored = first === "presentation" || first === "none" || first === "generic";
		return /^[a-z]{2,20}$/.test(first) && !ignored ? first : "";
	}
	function roleOf(el, tag = tagNameOf(el), attributed = true) {
		const attribute = attributed ? attributeOf(el, "role") : null;
		const role = attribute && ariaRole(attribute);
		if (role) return role;
		switch (tag) {
			case "A":
			case "AREA": return hasAttribute(el, "href") ? "link" : "";
			case "INPUT": return INPUT_ROLES[el.type] ?? "textbox";
			case "SELECT": {
				const select = el;
				return select.multiple || select.size > 1 ? "listbox" : "combobox";
			}
		}
		if (attributed && hasAttribute(el, "contenteditable") && asControl(el).isContentEditable && !parentElementOf(el)?.isContentEditable) return "textbox";
		return TAG_ROLES[tag] ?? "";
	}
	var hasPointer = (n) => isElement(n) && getComputedStyle(n).cursor === "pointer";
	var isFocusable = (el) => hasAttribute(el, "tabindex") && (asControl(el).tabIndex ?? -1) >= 0;
	function isClickable(el) {
		return hasAttribute(el, "onclick") || isListening(el) || isFocusable(el) || hasPointer(el) && !hasPointer(parentOf(el));
	}
	// injected/page/text.ts
	var NEEDS_CLEANING = /[^ -~]| {2}|^ | $/;
	var NON_ASCII = /[^\0-\x7f]/;
	var NEEDS_ESCAPES = /["\\\ud800-\udfff]/;
	function sanitizeText(value, limit) {
		let text = String(value);
		const cut = text.length > limit * 4;
		if (cut) text = text.slice(0, limit * 4);
		if (NEEDS_CLEANING.test(text)) {
			text = NON_ASCII.test(text) ? text.toWellFormed().replace(/\p{Cf}/gu, "").replace(/[\s\p{Cc}]+/gu, " ") : text.replace(/[\0- \x7f]+/g, " ");
			text = text.trim();
		}
		return cut && text.length <= limit ? text + "…" : truncate(text, limit);
	}
	function truncate(text, limit) {
		return text.length > limit ? text.slice(0, limit).toWellFormed() + "…" : text;
	}
	function quoteSanitized(text) {
		return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : "\"" + text + "\"";
	}
	function quoteText(value, limit = 160) {
		return quoteSanitized(sanitizeText(value, limit));
	}
	function normalizeQuery(text) {
		return sanitizeText(text, 300).toLowerCase();
	}
	// injected/page/visibility.ts
	var VISIBLE = { visibilityProperty: true };
	var isRendered = (el) => checkVisibility(el) || getComputedStyle(el).display === "contents";
	var isVisible = (el) => checkVisibility(el, VISIBLE);
	var isLeaf = (el) => firstElementOf(el) === null && tagNameOf(el) !== "SLOT" && shadowOf(el) === null;
	// injected/page/names.ts
	var MAX_NAME = 160;
	var MAX_NAME_NODES = 400;
	var OWN_NAMES = words$1("group tree treeitem menu menubar listbox");
	var NESTED_LISTS = words$1("UL OL MENU");
	function hasOwnNames(el) {
		return NESTED_LISTS.has(tagNameOf(el)) || OWN_NAMES.has(attributeOf(el, "role") ?? "");
	}
	function textOf(el, limit = MAX_NAME, own = false) {
		if (isLeaf(el)) return sanitizeText(textContentOf(el), limit);
		let text = "";
		let budget = MAX_NAME_NODES;
		const addElement = (n) => {
			const label = attributeOf(n, "aria-label");
			if (own && hasOwnNames(n)) return;
			if (isImage(n)) text += " " + (n.alt || "") + " ";
			else if (label !== null) text += " " + label + " ";
			else {
				const gap = INLINE_TAGS.has(tagNameOf(n)) ? "" : " ";
				text += gap;
				if (isLeaf(n)) text += textContentOf(n).slice(0, limit * 4);
				else forEachChild(n, add, void 0);
				text += gap;
			}
		};
		const add = (n) => {
			if (text.length > limit || --budget < 0) return;
			if (isTextNode(n)) text += n.data.slice(0, limit * 4);
			else if (isElement(n) && !SKIPPED_TAGS$2.has(tagNameOf(n)) && isRendered(n) && !isAriaHidden(n)) addElement(n);
		};
		forEachChild(el, add, void 0);
		return sanitizeText(text, limit);
	}
	var labelsByRoot = new WeakMap();
	function forgetLabels() {
		labelsByRoot = new WeakMap();
	}
	var LABELLED = words$1("BUTTON INPUT METER PROGRESS SELECT TEXTAREA");
	function labelsOf(el) {
		if (!LABELLED.has(tagNameOf(el)) && !asControl(el).labels) return void 0;
		const root = rootOf(el);
		let found = labelsByRoot.get(root);
		if (!found) {
			found = new Map();
			for (const label of queryIn(root, "label")) {
				const control = label.control;
				if (!control) continue;
				const list = found.get(control);
				if (list) list.push(label);
				else found.set(control, [label]);
			}
			labelsByRoot.set(root, found);
		}
		return found.get(el);
	}
	function textOfIds(el, ids) {
		const root = rootOf(el);
		const texts = [];
		for (const id of ids.split(/\s+/).slice(0, 8)) {
			const other = root.getElementById?.(id);
			if (other) texts.push(textOf(other));
		}
		return sanitizeText(texts.join(" "), MAX_NAME);
	}
	function nameOf(el, role) {
		const ids = attributeOf(el, "aria-labelledby")?.trim();
		const byIds = ids && textOfIds(el, ids);
		if (byIds) return byIds;
		const label = attributeOf(el, "aria-label");
		const byLabel = label && sanitizeText(label, MAX_NAME);
		if (byLabel) return byLabel;
		if (isInput(el) && [
			"button",
			"submit",
			"reset"
		].includes(el.type)) return sanitizeText(el.value || el.type, MAX_NAME);
		const labels = labelsOf(el);
		if (labels) {
			const byLabels = sanitizeText(labels.slice(0, 4).map((n) => textOf(n)).join(" "), MAX_NAME);
			if (byLabels) return byLabels;
		}
		const { alt } = asControl(el);
		if (alt) return sanitizeText(alt, MAX_NAME);
		if (NAMED_BY_TEXT.has(role)) {
			const text = textOf(el, MAX_NAME, NAMED_BY_OWN_TEXT.has(role));
			if (text) return text;
		}
		return sanitizeText(attributeOf(el, "title") || attributeOf(el, "placeholder") || "", MAX_NAME);
	}
	// injected/page/refs.ts
	var isForeignFrame = globalThis.goalpostRemoteFrame === true;
	var ids$1 = new WeakMap();
	var elements = new Map();
	var frameNumbers = new WeakMap();
	var lastRef = 0;
	var lastFrame = 0;
	function refOf(el) {
		let id = ids$1.get(el);
		if (!id) {
			id = framePrefix(documentOf$1(el)) + "e" + String(++lastRef);
			ids$1.set(el, id);
			elements.set(id, new WeakRef(el));
		}
		return id;
	}
	function framePrefix(doc) {
		if (!isForeignFrame && doc === document) return "";
		let number = frameNumbers.get(doc);
		if (number === void 0) frameNumbers.set(doc, number = ++lastFrame);
		return "f" + String(number);
	}
	var elementOf = (ref) => elements.get(ref)?.deref();
	var isRef = (target) => /^(f\d+)?e\d+$/.test(target);
	function continueNumbers(ref, frame) {
		lastRef = Math.max(lastRef, ref);
		lastFrame = Math.max(lastFrame, frame);
	}
	var lastNumbers = () => ({
		last: lastRef,
		frames: lastFrame
	});
	var foreignFrames = new Map();
	function registerForeignFrame(el, number) {
		foreignFrames.set(number, new WeakRef(el));
	}
	var foreignFrame = (number) => foreignFrames.get(number)?.deref();
	function foreignNumber(el) {
		for (const [number, reference] of foreignFrames) if (reference.deref() === el) return number;
		return 0;
	}
	// injected/page/describe.ts
	function describeAs(el, role) {
		const name = nameOf(el, role) || textOf(el, 60);
		return role + (name ? " " + quoteText(name, 80) : "");
	}
	function describe(el) {
		return describeAs(el, roleOf(el) || (isClickable(el) ? "clickable" : tagNameOf(el).toLowerCase()));
	}
	var describeWithRef = (el) => refOf(el) + " " + describe(el);
	// injected/page/geometry.ts
	function offsetOf(el) {
		const offset = {
			x: 0,
			y: 0
		};
		let view = viewOf(documentOf$1(el));
		while (view && view !== window) {
			const holder = view.frameElement;
			if (!holder) break;
			const r = rectOf(holder);
			offset.x += r.x + holder.clientLeft;
			offset.y += r.y + holder.clientTop;
			view = view.parent;
		}
		return offset;
	}
	var intersectsViewport = (el, offset) => isBoxInViewport(rectOf(el), offset);
	function isBoxInViewport(r, offset, width = innerWidth, height = innerHeight) {
		const x = r.x + offset.x;
		const y = r.y + offset.y;
		return x < width && y < height && x + r.width > 0 && y + r.height > 0;
	}
	// injected/page/hittest.ts
	var isPoint = (spot) => "x" in spot;
	function elementAt(x, y) {
		let root = document;
		for (let depth = 0; depth < 20; depth++) {
			const el = hitTest(root, x, y);
			if (!el) return null;
			const shadow = shadowOf(el);
			if (shadow && shadow !== root) {
				const inside = hitTest(shadow, x, y);
				if (inside && inside !== el) {
					root = shadow;
					continue;
				}
			}
			const doc = isFrame(el) ? innerDocument(el) : null;
			if (!doc) return el;
			const r = rectOf(el);
			x -= r.x + el.clientLeft;
			y -= r.y + el.clientTop;
			root = doc;
		}
		return null;
	}
	function receives(el, hit) {
		if (isWithin(hit, el)) return true;
		const label = closestOf(hit, "label");
		if (label && isLabel(label) && label.control === el) return true;
		return isWithin(el, hit) && (USABLE.has(roleOf(hit)) || getComputedStyle(el).pointerEvents === "none");
	}
	var TRIED = [
		[.5, .5],
		[.15, .5],
		[.85, .5],
		[.5, .2],
		[.5, .8]
	];
	function findSpot(el) {
		const offset = offsetOf(el);
		let covered = null;
		const rects = [...el.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
		for (const r of rects.slice(0, 3)) {
			const left = Math.max(0, r.left + offset.x);
			const top = Math.max(0, r.top + offset.y);
			const right = Math.min(innerWidth, r.right + offset.x);
			const bottom = Math.min(innerHeight, r.bottom + offset.y);
			if (right - left < 1 || bottom - top < 1) continue;
			for (const [fx, fy] of TRIED) {
				const x = left + (right - left) * fx;
				const y = top + (bottom - top) * fy;
				const hit = elementAt(x, y);
				if (hit && receives(el, hit)) return {
					x,
					y
				};
				covered ??= hit;
			}
		}
		return {
			covered,
			hasBoxes: rects.length > 0
		};
	}
	// injected/page/appearance.ts
	var SHAPES = "rect,circle,ellipse,polygon,polyline,path,line,text,image,use";
	var WORD = /^[a-zA-Z][a-zA-Z_-]{1,23}$/;
	var HUES = [
		[15, "red"],
		[45, "orange"],
		[70, "yellow"],
		[165, "green"],
		[200, "cyan"],
		[260, "blue"],
		[290, "purple"],
		[345, "magenta"],
		[361, "red"]
	];
	function nameColor(css) {
		const m = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(css);
		if (!m || m[4] === "0") return "";
		const [r = 0, g = 0, b = 0] = m.slice(1, 4).map(Number);
		const high = Math.max(r, g, b);
		const low = Math.min(r, g, b);
		const range = high - low;
		if (range < 25) return high < 50 ? "black" : low > 225 ? "white" : "gray";
		const hue = (high === r ? (g - b) / range + 6 : high === g ? (b - r) / range + 2 : (r - g) / range + 4) % 6 * 60;
		if (hue >= 10 && hue < 45 && high < 170) return "brown";
		if (low > 150 && (hue >= 330 || hue < 15)) return "pink";
		if (hue >= 290 && hue < 330 && high < 170) return "purple";
		return HUES.find(([end]) => hue < end)?.[1] ?? "";
	}
	function listClasses(el) {
		return sanitizeText([...classListOf(el)].filter((word) => WORD.test(word)).slice(0, 3).join(" "), 48);
	}
	function hintOf(el) {
		const classes = listClasses(el);
		if (classes) return `class="${classes}"`;
		const icon = firstElementOf(el);
		if (icon) {
			const use = queryIn(el, "use")[0];
			const name = ((use && (attributeOf(use, "href") ?? attributeOf(use, "xlink:href")))?.split("#")[1] ?? "").replace(/[^\w-]/g, "") || listClasses(icon);
			if (name) return `icon="${sanitizeText(name, 48)}"`;
		}
		const id = isInput(el) ? attributeOf(el, "name") ?? idOf$1(el) : idOf$1(el);
		return WORD.test(id) ? `id="${id}"` : "";
	}
	function placeOf(r, offset) {
		return `at ${Math.round(r.x + offset.x + r.width / 2)},${Math.round(r.y + offset.y + r.height / 2)}`;
	}
	var sizeOf = (r) => `${Math.round(r.width)}x${Math.round(r.height)}`;
	function countPoints(el) {
		return (attributeOf(el, "points")?.match(/-?[\d.]+/g) ?? []).length / 2;
	}
	function nameShape(el) {
		const tag = tagNameOf(el);
		if (tag === "polygon") return {
			3: "triangle",
			4: "quadrangle"
		}[countPoints(el)] ?? "polygon";
		return tag === "rect" ? "rectangle" : tag === "text" ? "svg text" : tag;
	}
	function colorOfShape(style) {
		return (style.fill === "none" || style.fillOpacity === "0" ? "" : nameColor(style.fill)) || (style.stroke === "none" ? "" : nameColor(style.stroke));
	}
	function isDrawnBox(style) {
		if (nameColor(style.backgroundColor) || style.backgroundImage !== "none") return true;
		return style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0 && style.borderLeftStyle !== "none";
	}
	// injected/page/longlist.ts
	function findVisibleRange(children, offset, height) {
		const last = children.length - 1;
		let unknown = false;
		const boxOf = (i) => {
			for (let k = i; k <= last && k < i + 40; k++) {
				const r = children[k]?.getBoundingClientRect();
				if (r && r.height > 0) return {
					top: r.y + offset.y,
					bottom: r.y + r.height + offset.y
				};
			}
			unknown = true;
			return {
				top: 0,
				bottom: 0
			};
		};
		let above;
		for (let i = 0; i < 5; i++) {
			const box = boxOf(Math.floor(last * i / 4));
			if (above && box.top < above.bottom) return null;
			above = box;
		}
		if (children[0]?.tagName !== children[last]?.tagName) return null;
		const findFirst = (test) => {
			let low = 0;
			let high = last + 1;
			while (low < high) {
				const middle = low + high >> 1;
				if (test(boxOf(middle))) high = middle;
				else low = middle + 1;
			}
			return children[low] ?? null;
		};
		const range = {
			from: findFirst((b) => b.bottom > 0),
			to: findFirst((b) => b.top >= height)
		};
		return unknown ? null : range;
	}
	// injected/page/states.ts
	var home = location.origin + "/";
	var isTrue = (el, name) => attributeOf(el, "aria-" + name) === "true";
	var NOT_WRITABLE = [
		"checkbox",
		"radio",
		"button",
		"submit"
	];
	var WITHOUT_VALUE = [
		"checkbox",
		"radio",
		"button",
		"submit",
		"reset",
		"image"
	];
	var MAX_OPTIONS$1 = 12;
	var PLAIN = words$1("A AREA DIV SPAN LI TABLE TR TD NAV MAIN DIALOG IFRAME IMG CANVAS H1 H2 H3 H4 H5 H6");
	function addSelectValue(el, out) {
		const options = [...el.options].slice(0, MAX_OPTIONS$1).map((o) => quoteText(o.label, 40));
		const more = el.options.length - options.length;
		out.push("value=" + quoteText([...el.selectedOptions].map((o) => o.label).join(", "), 120));
		out.push("options: " + options.join(" | ") + (more > 0 ? ` | … ${more} more` : ""));
	}
	function addValue(el, role, hasAria, out) {
		if (isSelect(el)) addSelectValue(el, out);
		else if (isInput(el) && el.type === "password") {
			if (el.value) out.push("filled, value hidden");
		} else if (isInput(el) && el.type === "file") out.push(String(el.files?.length ?? 0) + " files");
		else if (isInput(el) && !WITHOUT_VALUE.includes(el.type) || isTextArea(el)) out.push("value=" + quoteText(el.value, 200));
		else if (role === "textbox") out.push("value=" + quoteText(textOf(el, 200), 200));
		else if (hasAria && hasAttribute(el, "aria-valuenow")) out.push("value=" + quoteText(attributeOf(el, "aria-valuenow"), 40));
		else if (tagNameOf(el) === "PROGRESS" || tagNameOf(el) === "METER") {
			const bar = el;
			out.push(`value=${bar.value} of ${bar.max}`);
		}
	}
	function addAriaStates(el, out) {
		for (const name of [
			"selected",
			"pressed",
			"busy"
		]) if (isTrue(el, name)) out.push(name);
		const current = attributeOf(el, "aria-current");
		if (current && current !== "false") out.push(current === "true" ? "current" : "current=" + sanitizeText(current, 12));
		if (hasAttribute(el, "aria-expanded")) out.push(isTrue(el, "expanded") ? "expanded" : "collapsed");
	}
	var POSITION = /^(?:left|top|bottom|right): ?([\d.]+%);?$/;
	function addHandlePosition(el, out) {
		const found = POSITION.exec((attributeOf(el, "style") ?? "").trim());
		if (found?.[1]) out.push("position=" + found[1]);
	}
	function addressOf(el) {
		const { href } = asControl(el);
		if (typeof href !== "string" || !/^https?:/.test(href)) return "";
		const hash = href.indexOf("#");
		if (hash >= 0 && href.slice(0, hash) === documentOf$1(el).URL.split("#", 1)[0]) return /^#(!|\/)/.test(href.slice(hash)) ? href.slice(hash) : "";
		return href.startsWith(home) ? href.slice(home.length - 1) : href;
	}
	function statesOf(el, role, focus) {
		const out = [];
		const tag = tagNameOf(el);
		const isPlain = PLAIN.has(tag);
		const control = isPlain ? {} : asControl(el);
		const names = attributeNamesOf(el);
		const hasAria = names.some((name) => name.startsWith("aria-"));
		if (role === "heading") out.push(`level ${Number(attributeOf(el, "aria-level")) || Number(tag[1]) || 2}`);
		if (!isPlain && matchesSelector(el, ":disabled") || hasAria && isTrue(el, "disabled")) out.push("disabled");
		if (control.checked === true || hasAria && isTrue(el, "checked")) out.push("checked");
		if (hasAria) addAriaStates(el, out);
		if (tag === "SUMMARY") out.push(parentElementOf(el)?.open ? "expanded" : "collapsed");
		if (control.required === true) out.push("required");
		if (control.readOnly === true && !NOT_WRITABLE.includes(control.type ?? "")) out.push("readonly");
		if (hasAria && isTrue(el, "invalid")) out.push("invalid");
		if (el === focus) out.push("focused");
		addValue(el, role, hasAria, out);
		if (names.includes("draggable") && attributeOf(el, "draggable") === "true") out.push("draggable");
		if (role === "clickable") addHandlePosition(el, out);
		const address = role === "link" ? addressOf(el) : "";
		if (address) out.push("-> " + quoteText(address, 120));
		return out;
	}
	var MAX_SHAPES = 80;
	var MAX_BOXES = 200;
	var MAX_PARTS = 60;
	var MAX_VISIBLE_TEXT = 200;
	var MAX_DISTANT_TEXT = 80;
	function hasHiddenControl(label) {
		const { control } = label;
		return control !== null && !isVisible(control) && control.type !== "hidden";
	}
	var isEntryField = (el, role) => tagNameOf(el) === "SELECT" || tagNameOf(el) === "TEXTAREA" || role === "textbox" && isEditable(el);
	function indentOf(item) {
		let n = 0;
		for (let level = item.up; level && n < 20; level = level.up) if (level.inView === item.inView) n++;
		return n;
	}
	function addContent(el, content) {
		for (let c = firstChildOf(el); c; c = nextSiblingOf(c)) {
			if (content.texts > MAX_PARTS) return;
			if (isTextNode(c)) content.own += c.data.slice(0, 400);
			else if (isElement(c)) addInnerContent(c, content);
		}
	}
	function addInnerContent(el, content) {
		const tag = tagNameOf(el);
		if (SKIPPED_TAGS$2.has(tag) || isAriaHidden(el) || !isVisible(el)) return;
		const role = roleOf(el);
		if (role && USABLE.has(role)) return;
		if (isImage(el) || tag === "svg") content.icons++;
		else if (elementCountOf(el) > 0 && !FORMATTING.has(tag)) {
			const inner = {
				own: "",
				texts: 0,
				icons: 0
			};
			addContent(el, inner);
			content.texts += inner.texts + (inner.own.trim() ? 1 : 0);
			content.icons += inner.icons;
		} else if (textContentOf(el).trim() === "") {
			if (hasAttributes(el)) content.icons++;
		} else if (FORMATTING.has(tag) && !hasAttributes(el)) content.own += textContentOf(el).slice(0, 400);
		else content.texts++;
	}
	function contentOf$1(el) {
		if (!firstElementOf(el) || tagNameOf(el) === "TR") return null;
		const content = {
			own: "",
			texts: 0,
			icons: 0
		};
		addContent(el, content);
		const { own, texts, icons } = content;
		return texts + (own.trim() ? 1 : 0) > 1 || icons > 1 ? content : null;
	}
	var Collector = class {
		viewOnly;
		items = [];
		cut = false;
		focus = focusedElement();
		width = innerWidth;
		height = innerHeight;
		nodes = 0;
		boxes = 0;
		text = "";
		owner = null;
		last = null;
		segments = [];
		lastStart = 0;
		ownerPlace = null;
		constructor(viewOnly) {
			this.viewOnly = viewOnly;
		}
		flush() {
			if (this.owner && this.ownerPlace) {
				if (this.last !== this.owner) this.endSegment();
				this.addText(this.owner, this.ownerPlace);
				this.segments = [];
			}
			this.owner = null;
			this.last = null;
			this.text = "";
		}
		isBoxInView(box, offset) {
			return isBoxInViewport(box, offset, this.width, this.height);
		}
		endSegment() {
			if (this.last) this.segments.push({
				el: this.last,
				text: this.text.slice(this.lastStart)
			});
			this.lastStart = this.text.length;
		}
		addText(el, at) {
			let name = sanitizeText(this.text, 400);
			if (name.includes("|")) name = name.replace(/^(\| ?)+|( ?\|)+$/g, "").trim();
			if (!name) return;
			let { box } = at;
			const inView = !at.outOfView && (at.inView || this.isBoxInView(box ??= rectOf(el), at.offset));
			const line = quoteSanitized(truncate(name, inView ? MAX_VISIBLE_TEXT : MAX_DISTANT_TEXT));
			const { offset, up } = at;
			const { segments } = this;
			this.items.push({
				el,
				offset,
				up,
				inView,
				role: "text",
				name,
				usable: false,
				line,
				place: "",
				segments,
				box
			});
		}
		write(el, data, at) {
			if (data.trim() === "") this.text += " ";
			else if (at.shown) {
				if (!this.owner) {
					this.owner = el;
					this.ownerPlace = at;
					this.lastStart = 0;
				} else if (el !== this.last) this.endSegment();
				this.last = el;
				if (this.text.length < 2e3) this.text += data.slice(0, 2e3);
			}
		}
		visit = (n, at) => {
			if (this.cut) return;
			if (++this.nodes > 6e4) {
				this.cut = true;
				return;
			}
			if (isTextNode(n)) {
				if (at.named) return;
				const parent = parentOf(n);
				if (parent !== at.labelled) this.write(parent, n.data, at);
				return;
			}
			if (!isElement(n)) return;
			const tag = tagNameOf(n);
			const kind = tagKind(tag);
			const attributed = hasAttributes(n);
			if (kind & 1 || attributed && isAriaHidden(n)) return;
			let shown = isVisible(n);
			if (!shown) {
				if (!isRendered(n)) return;
				shown = getComputedStyle(n).display === "contents" && at.shown;
			}
			const block = !(kind & 6);
			let { outOfView } = at;
			let inView = false;
			let box = null;
			if (block && !outOfView) {
				box = rectOf(n);
				const { width, height } = box;
				const x = box.x + at.offset.x;
				const y = box.y + at.offset.y;
				inView = x < this.width && y < this.height && x + width > 0 && y + height > 0;
				outOfView = !inView && width > 0 && height > 0;
				if (outOfView && this.viewOnly) {
					this.flush();
					return;
				}
			}
			const role = roleOf(n, tag, attributed);
			let usable = shown && role !== "" && (USABLE.has(role) || role.endsWith(" input"));
			let pointer = at.pointer || usable;
			const label = isLabel(n) ? n : null;
			if (role === "" && shown) {
				if (!at.named) {
					pointer = getComputedStyle(n).cursor === "pointer";
					usable = pointer && !at.pointer && tag !== "BODY" || at.parts && this.isPart(n);
				}
				if (!usable && (attributed || isListening(n))) usable = isOperated(n);
				if (label?.control) usable = hasHiddenControl(label);
				if (!usable && isDelegated(n)) usable = true;
			}
			if (tag === "svg" && role === "") {
				this.visitDrawing(n, usable, at, outOfView);
				return;
			}
			if (role === "" && !usable && attributed && shown && !at.named) {
				const empty = this.findEmptyBox(n, at, outOfView, box);
				if (empty) {
					this.flush();
					this.addBox(n, at, empty);
					return;
				}
			}
			if (kind & 4) this.text += " | ";
			else if (block) this.flush();
			const inside = {
				offset: at.offset,
				named: at.named,
				outOfView,
				shown,
				pointer,
				inView,
				up: at.up,
				inList: at.inList || tag === "LI",
				parts: at.parts && !usable,
				labelled: null,
				box
			};
			if (at.inList && (tag === "UL" || tag === "OL")) {
				inside.up = {
					up: at.up,
					inView: !outOfView
				};
				inside.inList = false;
			}
			const before = this.items.length;
			if (usable || role !== "" && isListed(role, at.named, shown)) {
				if (!this.visitListed(n, role, usable, at, inside)) return;
			}
			if (label?.control && !hasHiddenControl(label)) inside.named = true;
			const shadow = shadowOf(n);
			if (!shadow && tag !== "SLOT" && !firstElementOf(n)) {
				const content = inside.named || n === inside.labelled ? "" : textContentOf(n);
				if (content !== "") this.write(n, content, inside);
			} else if (!outOfView && !shadow && tag !== "SLOT" && elementCountOf(n) > 60) this.visitLongList(n, inside);
			else forEachChild(n, this.visit, inside, shadow);
			if (block || usable) this.flush();
			if (usable && this.items.length === before + 2) this.mergeLast();
		};
		isPart(n) {
			const inner = firstElementOf(n);
			if (!inner) return textContentOf(n).trim() !== "" || hasAttributes(n);
			for (let c = inner; c; c = nextElementOf(c)) if (!FORMATTING.has(tagNameOf(c)) || hasAttributes(c)) return tagNameOf(n) === "svg";
			return true;
		}
		findEmptyBox(n, at, outOfView, box) {
			if (firstChildOf(n) && (!isLeaf(n) || textContentOf(n).trim() !== "")) return null;
			if (outOfView || shadowOf(n) || tagNameOf(n) === "SLOT" || this.boxes >= MAX_BOXES) return null;
			if (tagNameOf(n) === "BODY" || isImage(n)) return null;
			const r = box ?? rectOf(n);
			const least = at.parts || tagKind(tagNameOf(n)) & 2 ? 12 : 8;
			if (r.width < least || r.height < least || r.width * r.height > this.width * this.height / 4) return null;
			return isDrawnBox(getComputedStyle(n)) ? r : null;
		}
		addBox(n, at, r) {
			this.boxes++;
			const states = [
				nameColor(getComputedStyle(n).backgroundColor),
				sizeOf(r),
				hintOf(n)
			];
			const title = sanitizeText(attributeOf(n, "title") ?? attributeOf(n, "aria-label") ?? "", MAX_DISTANT_TEXT);
			this.addDescribed(n, "box", title, states, at, r);
		}
		addDescribed(el, role, name, states, at, box) {
			let line = refOf(el) + " " + role;
			if (name) line += " " + quoteSanitized(truncate(name, MAX_DISTANT_TEXT));
			for (const state of states) if (state) line += " " + state;
			const { offset, up } = at;
			const inView = !at.outOfView && this.isBoxInView(box, offset);
			const place = inView && !name ? placeOf(box, offset) : "";
			const item = {
				el,
				offset,
				up,
				inView,
				role,
				name,
				usable: true,
				line,
				place,
				segments: [],
				box
			};
			this.items.push(item);
			return item;
		}
		visitDrawing(n, usable, at, outOfView) {
			if (at.named && !usable) return;
			const r = rectOf(n);
			if (r.width < 1 || r.height < 1) return;
			const title = sanitizeText(attributeOf(n, "aria-label") ?? titleIn(n), MAX_DISTANT_TEXT);
			const shapes = [...queryIn(n, SHAPES)];
			if (Math.max(r.width, r.height) < 48 && !shapes.some(isListening) || outOfView) {
				if (!usable && !title) return;
				this.flush();
				if (usable) this.addDescribed(n, "clickable", title, [title ? "" : hintOf(n)], {
					...at,
					outOfView
				}, r);
				else this.addDescribed(n, "img", title, [], {
					...at,
					outOfView
				}, r);
				return;
			}
			this.flush();
			const drawing = this.addDescribed(n, "drawing", title, [sizeOf(r)], at, r);
			let listed = 0;
			for (const shape of shapes) {
				if (listed >= MAX_SHAPES) break;
				if (this.addShape(shape, {
					...at,
					up: drawing
				})) listed++;
			}
		}
		addShape(el, at) {
			const r = rectOf(el);
			if (!isVisible(el) || Math.max(r.width, r.height) < 3) return false;
			const color = colorOfShape(getComputedStyle(el));
			const tag = tagNameOf(el);
			if (!color && tag !== "image" && tag !== "use" && !isListening(el)) return false;
			const own = tag === "text" ? textContentOf(el) : titleIn(el);
			const name = sanitizeText(attributeOf(el, "aria-label") ?? own, MAX_DISTANT_TEXT);
			this.addDescribed(el, nameShape(el), name, [
				color,
				sizeOf(r),
				name ? "" : hintOf(el)
			], at, r);
			return true;
		}
		visitListed(n, role, usable, at, inside) {
			let { box } = inside;
			if (role === "" && !isFocusable(n)) {
				const sole = soleContentOf(n);
				if (sole !== n) box = null;
				n = sole;
			}
			const word = role || "clickable";
			const content = word === "clickable" ? contentOf$1(n) : null;
			let name = "";
			if (!content) name = nameOf(n, word);
			else if (content.texts > MAX_PARTS) {
				if (!isOperated(n)) return true;
				name = nameOf(n, word);
			} else {
				name = sanitizeText(attributeOf(n, "aria-label") ?? content.own, 160);
				inside.labelled = n;
				inside.parts = true;
			}
			if (usable || name || GROUPS.has(word)) {
				this.flush();
				const { offset, up } = at;
				const inView = !inside.outOfView && (inside.inView || this.isBoxInView(box ??= rectOf(n), offset));
				const item = {
					el: n,
					offset,
					up,
					inView,
					role: word,
					name,
					usable,
					line: "",
					place: "",
					segments: [],
					box
				};
				if (this.addElement(item, inside.outOfView)) return false;
				if (usable || GROUPS.has(word)) {
					inside.up = item;
					inside.inList = false;
				}
			}
			if (isEntryField(n, role)) return false;
			inside.named = !content && (at.named || NAMED_BY_TEXT.has(word) && name !== "");
			return true;
		}
		mergeLast() {
			const inner = this.items.at(-1);
			const outer = this.items.at(-2);
			if (!inner || !outer || inner.up !== outer || !inner.usable || !CLICKED.has(outer.role)) return;
			if (inner.name !== outer.name && outer.name !== "") return;
			if (outer.role === "clickable") {
				inner.up = outer.up;
				this.items.splice(-2, 1);
			} else if (CLICKED.has(inner.role) && inner.name === outer.name) {
				if (inner.role !== "clickable") {
					const states = inner.line.replace(/^\S+ [a-z]+(?: "(?:[^"\\]|\\.)*")?/, "");
					outer.line = outer.line.replace(/^\S+/, refOf(inner.el)) + (outer.line.endsWith(states) ? "" : states);
					outer.el = inner.el;
					outer.box = inner.box;
				}
				this.items.pop();
			}
		}
		visitLongList(n, at) {
			const range = findVisibleRange(elementsOf(n), at.offset, this.height);
			if (!range) {
				forEachChild(n, this.visit, at);
				return;
			}
			const outside = {
				...at,
				outOfView: true,
				inView: false
			};
			let inRange = false;
			for (let c = this.viewOnly ? range.from : firstChildOf(n); c; c = nextSiblingOf(c)) {
				if (c === range.from) inRange = true;
				if (c === range.to) {
					inRange = false;
					if (this.viewOnly) return;
				}
				this.visit(c, inRange ? at : outside);
			}
		}
		addElement(item, outOfView) {
			const { el, name } = item;
			const holds = isFrame(el);
			const doc = holds ? innerDocument(el) : null;
			const number = holds && !doc ? foreignNumber(el) : 0;
			let line = (item.usable ? refOf(el) + " " : "") + item.role;
			if (name) line += " " + quoteSanitized(truncate(name, MAX_DISTANT_TEXT));
			const control = isLabel(el) && hasHiddenControl(el) ? el.control : null;
			const [of, role] = control ? [control, roleOf(control)] : [el, item.role];
			if (control && role) line += ` for a ${role}`;
			for (const state of statesOf(of, role, this.focus)) line += " " + state;
			if (holds && !doc && !number) line += " (its content is not known yet)";
			if (!name && item.usable && !outOfView && !holds) {
				const hint = hintOf(el);
				if (item.role === "clickable" && isLeaf(el)) {
					const color = nameColor(getComputedStyle(el).backgroundColor);
					if (color) line += ` ${color} ${sizeOf(item.box ??= rectOf(el))}`;
				}
				if (hint) line += " " + hint;
				if (!hint || CLICKED.has(item.role)) item.place = placeOf(item.box ??= rectOf(el), item.offset);
			}
			if (item.role === "canvas") line += " " + sizeOf(item.box ??= rectOf(el));
			item.line = line;
			this.items.push(item);
			if (number) this.items.push({
				...item,
				up: item,
				role: "frame",
				name: "",
				usable: false,
				line: `\u0001${number}`,
				place: ""
			});
			if (!doc) return false;
			const r = item.box ??= rectOf(el);
			const offset = {
				x: item.offset.x + r.x + el.clientLeft,
				y: item.offset.y + r.y + el.clientTop
			};
			this.visit(bodyOf(doc), {
				...START,
				offset,
				outOfView,
				up: item
			});
			this.flush();
			return true;
		}
	};
	var START = {
		offset: {
			x: 0,
			y: 0
		},
		named: false,
		outOfView: false,
		shown: true,
		pointer: false,
		inView: false,
		up: null,
		inList: false,
		parts: false,
		labelled: null,
		box: null
	};
	function soleContentOf(el) {
		for (;;) {
			const inner = firstElementOf(el);
			if (!inner || elementCountOf(el) > 1 || !(tagKind(tagNameOf(inner)) & 2) || roleOf(inner)) return el;
			for (let c = firstChildOf(el); c; c = nextSiblingOf(c)) if (isTextNode(c) && c.data.trim() !== "") return el;
			if (textContentOf(inner).trim() === "" || !isVisible(inner) || isAriaHidden(inner)) return el;
			el = inner;
		}
	}
	function titleIn(el) {
		for (let c = firstElementOf(el); c; c = nextElementOf(c)) if (tagNameOf(c) === "title") return textContentOf(c);
		return "";
	}
	function isOperated(el) {
		if (hasAttribute(el, "onclick") || isFocusable(el) || attributeOf(el, "draggable") === "true") return true;
		if (!isListening(el) || hasAlikeChildren(el)) return false;
		if (!firstElementOf(el)) return true;
		const r = rectOf(el);
		return r.width * r.height < innerWidth * innerHeight / 4;
	}
	function isListed(role, named, shown) {
		return role === "heading" && !named || GROUPS.has(role) && shown || PICTURES.has(role) && !named;
	}
	function collect(viewOnly = false, root = bodyOf(document)) {
		forgetLabels();
		const collector = new Collector(viewOnly);
		collector.visit(root, {
			...START,
			offset: offsetOf(root)
		});
		collector.flush();
		return {
			items: collector.items,
			cut: collector.cut
		};
	}
	// injected/page/changes.ts
	var MAX_ADDED = 60;
	var MAX_NOTES = 5;
	var MAX_CANVASES = 4;
	var EVERYTHING = {
		subtree: true,
		childList: true,
		characterData: true,
		attributes: true
	};
	var before = null;
	var added = new Set();
	var altered = new Set();
	var scrolled = new Map();
	var mutations = 0;
	function noteMutations(records) {
		mutations += records.length;
		for (const r of records) {
			if (r.type === "attributes" && altered.size < 50 && isElement(r.target)) altered.add(r.target);
			if (added.size > 200) continue;
			for (const n of r.addedNodes) if (isElement(n) || isTextNode(n)) added.add(n);
			if (r.type === "characterData") added.add(r.target);
		}
	}
	var observer$1 = new MutationObserver(noteMutations);
	var mutationCount = () => mutations;
	var notePendingMutations = () => noteMutations(observer$1.takeRecords());
	function onScroll(e) {
		const el = e.target;
		if (isElement(el) && scrolled.get(el) !== el.scrollTop + el.scrollLeft) scrolled.set(el, NaN);
	}
	function fingerprint(canvas) {
		try {
			const copy = new OffscreenCanvas(Math.min(canvas.width, 200), Math.min(canvas.height, 200));
			const context = copy.getContext("2d", { willReadFrequently: true });
			if (!context) return "";
			context.imageSmoothingQuality = "high";
			context.drawImage(canvas, 0, 0, copy.width, copy.height);
			const { data } = context.getImageData(0, 0, copy.width, copy.height);
			let hash = 0;
			for (const part of data) hash = hash * 31 + part | 0;
			return String(hash);
		} catch {
			return "";
		}
	}
	function selectedText() {
		return (getSelection()?.toString() ?? "").slice(0, 200);
	}
	function readView() {
		const { items } = collect(true);
		const canvases = new Map();
		return {
			shown: items.map(({ el, line, offset, role, box }) => {
				if (role === "canvas" && tagNameOf(el) === "CANVAS" && canvases.size < MAX_CANVASES) canvases.set(el, fingerprint(el));
				return {
					el,
					line,
					offset,
					box: box ?? rectOf(el)
				};
			}),
			canvases,
			selected: selectedText(),
			x: scrollX,
			y: scrollY
		};
	}
	function countLines(items) {
		const counts = new Map();
		for (const { line } of items) counts.set(line, (counts.get(line) ?? 0) + 1);
		return counts;
	}
	function startDiff() {
		stopDiff();
		before = readView();
		mutations = 0;
		observer$1.observe(document, EVERYTHING);
		for (const root of listMetRoots()) observer$1.observe(root, EVERYTHING);
		addEventListener("scroll", onScroll, {
			capture: true,
			passive: true
		});
		return true;
	}
	function stopDiff() {
		observer$1.disconnect();
		removeEventListener("scroll", onScroll, { capture: true });
		added.clear();
		altered.clear();
		scrolled = new Map();
		before = null;
		return true;
	}
	function endDiff() {
		const difference = currentDiff();
		stopDiff();
		return difference;
	}
	function noteReveal(el) {
		if (!before) return;
		before = readView();
		for (let p = parentElementOf(el); p; p = parentElementOf(p)) scrolled.set(p, p.scrollTop + p.scrollLeft);
	}
	function compareLines(was, now) {
		const shorter = Math.min(was.length, now.length);
		let first = 0;
		while (first < shorter && was[first]?.line === now[first]?.line) first++;
		let last = 0;
		while (last < shorter - first && was.at(-1 - last)?.line === now.at(-1 - last)?.line) last++;
		const left = countLines(was.slice(first, was.length - last));
		const end = now.length - last;
		const fresh = [];
		const common = now.slice(0, first);
		for (const item of now.slice(first, end)) {
			const n = left.get(item.line) ?? 0;
			if (n > 0) {
				left.set(item.line, n - 1);
				common.push(item);
			} else fresh.push(item);
		}
		const mixed = common.length - first > 1;
		common.push(...now.slice(end));
		let removed = 0;
		for (const n of left.values()) removed += n;
		return {
			added: fresh,
			common,
			removed,
			mixed
		};
	}
	function currentDiff() {
		if (!before) return {
			fresh: true,
			...truncateList(collect(true).items.map((i) => i.line)),
			removed: 0,
			notes: []
		};
		notePendingMutations();
		const { items } = collect(true);
		const { added: fresh, common, removed, mixed } = compareLines(before.shown, items);
		const lines = fresh.map((i) => i.line);
		addOutOfView(lines, items);
		const notes = [];
		const reordered = mixed ? noteOrder(before.shown, common, notes) : new Set();
		noteScroll(before, notes);
		noteMoves(before, common, reordered, lines.length + removed > 0, notes);
		for (const [el, was] of before.canvases) if (isConnected(el) && fingerprint(el) !== was) notes.push(`drawn on: ${describe(el)}`);
		const selected = selectedText();
		if (selected !== before.selected) notes.push(selected ? `selected: ${quoteText(selected, 80)}` : "nothing is selected");
		if (lines.length + removed + notes.length === 0) noteAltered(notes);
		return {
			fresh: false,
			...truncateList(lines),
			removed,
			notes
		};
	}
	function truncateList(lines) {
		if (lines.length <= MAX_ADDED) return {
			added: lines,
			more: 0
		};
		const rank = (line) => {
			if (/^(alert|dialog|heading|status)\b/.test(line)) return 0;
			if (/^e\d+ /.test(line)) return 1;
			return /\d/.test(line) && line.length < 100 ? 2 : 3;
		};
		const order = lines.map((line, at) => ({
			at,
			rank: rank(line)
		})).sort((a, b) => a.rank - b.rank || a.at - b.at);
		const kept = new Set(order.slice(0, MAX_ADDED).map((o) => o.at));
		return {
			added: lines.filter((_, at) => kept.has(at)),
			more: lines.length - MAX_ADDED
		};
	}
	function uniqueLines(items) {
		const counts = countLines(items);
		return items.filter((i) => counts.get(i.line) === 1);
	}
	function noteOrder(was, common, notes) {
		const now = uniqueLines(common);
		const lines = new Set(now.map((i) => i.line));
		const old = uniqueLines(was).filter((s) => lines.has(s.line));
		const here = new Set(old.map((s) => s.line));
		const list = now.filter((i) => here.has(i.line));
		let first = 0;
		let last = list.length - 1;
		while (first <= last && old[first]?.line === list[first]?.line) first++;
		while (last > first && old[last]?.line === list[last]?.line) last--;
		const moved = first <= last ? list.slice(first, last + 1) : [];
		if (moved.length > 0) {
			const some = moved.slice(0, 12).map((i) => truncate(i.line, 60));
			const more = moved.length > 12 ? ` | … ${moved.length - 12} more` : "";
			notes.push(`order now: ${some.join(" | ")}${more}`);
		}
		return new Set(moved.map((i) => i.el));
	}
	function noteScroll(was, notes) {
		if (Math.abs(scrollY - was.y) >= 1 || Math.abs(scrollX - was.x) >= 1) {
			const across = scrollX === was.x ? "" : `, ${Math.round(scrollX)} across`;
			notes.push(`scrolled to ${Math.round(scrollY)} of ${Math.round(rootElementOf(document).scrollHeight)}${across}`);
		}
		let n = 0;
		for (const [el, position] of scrolled) {
			if (!Number.isNaN(position) || !isConnected(el) || ++n > MAX_NOTES) continue;
			notes.push(`scrolled inside ${truncate(describe(el), 60)} to ${Math.round(el.scrollTop)} of ${el.scrollHeight}`);
		}
	}
	function noteMoves(was, common, reordered, pushed, notes) {
		const old = new Map(was.shown.map((s) => [s.el, s]));
		const moves = [];
		const [scrolledX, scrolledY] = [scrollX - was.x, scrollY - was.y];
		const inScrolled = (el) => [...scrolled.keys()].some((p) => containsNode(p, el));
		for (const { el, line, offset, box } of common) {
			const s = old.get(el);
			if (!s || s.line !== line || reordered.has(el)) continue;
			const r = box ?? rectOf(el);
			const dx = r.x + offset.x - s.box.x - s.offset.x + scrolledX;
			const dy = r.y + offset.y - s.box.y - s.offset.y + scrolledY;
			const moved = Math.abs(dx) >= 3 || Math.abs(dy) >= 3;
			const resized = Math.abs(r.width - s.box.width) >= 3 || Math.abs(r.height - s.box.height) >= 3;
			if (!(moved || resized) || inScrolled(el)) continue;
			const size = resized ? `, ${Math.round(r.width)}x${Math.round(r.height)}` : "";
			const text = `moved: ${truncate(line, 80)} is ${placeOf(r, offset)}${size}`;
			moves.push({
				key: `${Math.round(dx)},${Math.round(dy)}`,
				text
			});
		}
		const alone = pushed ? moves.filter((m) => moves.filter((o) => o.key === m.key).length === 1) : moves;
		if (pushed && alone.length > MAX_NOTES) return;
		for (const { text } of alone.slice(0, MAX_NOTES)) notes.push(text);
		if (alone.length > MAX_NOTES) notes.push(`${alone.length - MAX_NOTES} more moved`);
	}
	function noteAltered(notes) {
		for (const el of altered) {
			if (notes.length >= MAX_NOTES) return;
			if (!isConnected(el) || !isVisible(el) || tagNameOf(el) === "BODY" || tagNameOf(el) === "HTML") continue;
			if (!intersectsViewport(el, offsetOf(el))) continue;
			const name = (attributeOf(el, "class") ?? "").trim();
			notes.push(`looks different: ${describe(el)}${name ? " class=" + quoteText(name, 60) : ""}`);
		}
	}
	function blockOf(n) {
		for (let el = parentOf(n); isElement(el); el = parentOf(el)) if (!INLINE_TAGS.has(tagNameOf(el))) return el;
		return null;
	}
	function addOutOfView(lines, items) {
		const listed = new Set();
		const list = (i) => {
			listed.add(i.el);
			for (const { el } of i.segments) listed.add(el);
		};
		items.forEach(list);
		const holders = new Set(items.filter((i) => i.usable).map((i) => i.el));
		const has = (n) => {
			for (let el = isElement(n) ? n : parentOf(n); isElement(el); el = parentOf(el)) if (holders.has(el) || (el === n ? listed.has(el) : el === parentOf(n) && isTextNode(n) && listed.has(el))) return true;
			return false;
		};
		const read = new Set();
		for (const n of added) {
			if (lines.length > 100 || !isConnected(n) || has(n)) continue;
			const parent = isElement(n) ? n : parentOf(n);
			if (!isVisible(parent) || SKIPPED_TAGS$2.has(tagNameOf(parent))) continue;
			const root = isElement(n) && !INLINE_TAGS.has(tagNameOf(n)) ? n : blockOf(n);
			if (!root || read.has(root)) continue;
			read.add(root);
			for (const item of collect(false, root).items) {
				if ([item.el, ...item.segments.map((s) => s.el)].some((el) => el === parent || containsNode(n, el)) && !listed.has(item.el)) lines.push(item.line);
				list(item);
			}
		}
	}
	// injected/page/settle.ts
	var after = (ms) => new Promise((resolve) => setTimeout(() => resolve(false), ms));
	var afterTwoFrames = () => Promise.race([new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))), after(150)]);
	var afterNextFrame = (limit = 100) => Promise.race([new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(true), 0))), after(limit)]);
	function remainingOf(a) {
		const end = Number(a.effect?.getComputedTiming().endTime);
		if (a.playState !== "running" || !Number.isFinite(end)) return 0;
		return Math.max(1, end - Number(a.currentTime ?? 0));
	}
	var remaining = () => Math.max(0, ...animationsOf(document).map(remainingOf));
	var moved = false;
	async function waitForFrame() {
		const was = mutationCount();
		await afterNextFrame();
		if (moved && remaining() === 0) await afterNextFrame(500);
		notePendingMutations();
		const altered = mutationCount() - was;
		const moving = remaining();
		moved = moving > 0;
		return {
			altered,
			moving,
			diff: altered || moving ? null : currentDiff()
		};
	}
	function waitForMutation(timeout) {
		return new Promise((resolve) => {
			const end = (changed) => {
				once.disconnect();
				clearTimeout(limit);
				resolve(changed);
			};
			const once = new MutationObserver(() => end(true));
			const limit = setTimeout(() => end(false), timeout);
			once.observe(document, EVERYTHING);
			for (const root of listMetRoots()) once.observe(root, EVERYTHING);
		});
	}
	// injected/page/clickguard.ts
	var EVENTS = [
		"pointerdown",
		"mousedown",
		"pointerup",
		"mouseup",
		"click",
		"auxclick",
		"dblclick",
		"contextmenu"
	];
	var guard = null;
	var turn = 0;
	var nextTurn = () => ++turn;
	function setGuard(el, own) {
		const view = viewOf(documentOf$1(el));
		if (own !== turn || !view) return;
		removeGuard();
		guard = {
			el,
			view,
			pressed: false,
			missed: null
		};
		for (const type of EVENTS) view.addEventListener(type, onButton, {
			capture: true,
			passive: false
		});
	}
	function removeGuard() {
		if (guard) for (const type of EVENTS) guard.view.removeEventListener(type, onButton, { capture: true });
		guard = null;
	}
	function onButton(e) {
		if (!guard || !e.isTrusted) return;
		if (!guard.pressed && (e.type === "pointerdown" || e.type === "mousedown")) {
			guard.pressed = true;
			const offset = offsetOf(guard.el);
			const hit = elementAt(e.clientX + offset.x, e.clientY + offset.y);
			if (hit && !receives(guard.el, hit)) guard.missed = hit;
		}
		if (guard.missed) {
			e.preventDefault();
			e.stopImmediatePropagation();
		}
	}
	async function finishClick(settling) {
		const was = guard;
		removeGuard();
		if (was?.missed) return { missed: describeWithRef(was.missed) };
		return {
			missed: "",
			activity: settling ? await waitForFrame() : null
		};
	}
	async function releaseClick(pressed) {
		const own = nextTurn();
		if (pressed) await afterNextFrame();
		if (own === turn) removeGuard();
	}
	// injected/page/errors.ts
	var TargetError = class extends Error {
		code;
		constructor(code, message) {
			super(message);
			this.code = code;
		}
	};
	// injected/page/walk.ts
	function* eachRendered(n) {
		if (!isElement(n) || !isRendered(n)) return;
		yield n;
		const doc = isFrame(n) ? innerDocument(n) : null;
		if (doc) yield* eachRendered(doc.documentElement);
		for (const c of childrenOf(n)) yield* eachRendered(c);
	}
	function findInAll(want, limit) {
		const found = [];
		for (const el of eachRendered(rootElementOf(document))) {
			if (firstElementOf(el) || !normalizeQuery(textContentOf(el)).includes(want) || !isVisible(el)) continue;
			found.push(el);
			if (found.length === limit) break;
		}
		return found;
	}
	// injected/page/find.ts
	function onlyOne(found, target) {
		const [first] = found;
		if (first && found.length === 1) return first;
		const some = found.slice(0, 5).map(describeWithRef).join(", ");
		throw new TargetError("many", `${found.length} elements match ${target}: ${some}; use one of these refs`);
	}
	function findByRef(ref) {
		const el = elementOf(ref);
		if (!el || !isConnected(el) || !viewOf(documentOf$1(el))) throw new TargetError("stale", ref);
		return el;
	}
	function findAtPoint(x, y) {
		const el = elementAt(x, y);
		if (el) return el;
		throw new TargetError("none", `no element of the page is at ${x},${y}: the viewport is ${innerWidth}x${innerHeight}`);
	}
	function selectAll(selector, quoted, limit) {
		try {
			return queryAll(document, selector, limit);
		} catch {
			throw new TargetError("bad", `${quoted} is not a CSS selector`);
		}
	}
	function findBySelector(target) {
		const quoted = quoteText(target);
		const found = selectAll(target.slice(4), quoted);
		const visible = found.filter(isVisible);
		if (visible.length > 0) return onlyOne(visible, quoted);
		if (found[0]) return found[0];
		throw new TargetError("none", `nothing matches ${quoted}; take a snapshot and use a ref`);
	}
	function findSegments(item, fits) {
		return item.segments.filter((s) => fits(normalizeQuery(s.text))).map((s) => s.el);
	}
	function withoutOuter(found) {
		if (found.length < 2 || found.length > 200) return found;
		return found.filter((el) => !found.some((other) => other !== el && isWithin(other, el)));
	}
	function matchItems(items, want) {
		const equals = (text) => text === want;
		const contains = (text) => text.includes(want);
		for (const fits of [equals, contains]) for (const usable of [true, false]) {
			const found = new Set();
			for (const item of items) {
				if (item.usable !== usable) continue;
				const inner = findSegments(item, fits);
				for (const el of inner) found.add(el);
				if (inner.length === 0 && fits(item.name.toLowerCase())) found.add(item.el);
			}
			if (found.size > 0) return withoutOuter([...found]);
		}
		return [];
	}
	function findEdited(items, want) {
		const found = [];
		const search = (el, depth) => {
			if (depth > 100 || !normalizeQuery(textContentOf(el)).includes(want)) return false;
			let inside = false;
			for (let c = firstElementOf(el); c; c = nextElementOf(c)) inside = search(c, depth + 1) || inside;
			if (!inside) found.push(el);
			return true;
		};
		for (const { el, role } of items) if (role === "textbox" && isEditable(el)) for (const c of elementsOf(el)) search(c, 0);
		return found;
	}
	function preferEqual(found, want) {
		const equal = found.filter((el) => normalizeQuery(textContentOf(el)) === want);
		return equal.length > 0 ? equal : found;
	}
	function findElement(target) {
		return locate(target);
	}
	function locate(target) {
		if (isRef(target)) return findByRef(target);
		const point = /^at=(\d{1,5}),(\d{1,5})$/.exec(target);
		if (point) return findAtPoint(Number(point[1]), Number(point[2]));
		if (target.startsWith("css=")) return findBySelector(target);
		const want = normalizeQuery(target);
		if (!want) throw new TargetError("bad", "the target is empty: name a ref (e12), css=selector, or the visible text");
		const { items, cut } = collect();
		let found = matchItems(items, want);
		if (found.length === 0) found = findEdited(items, want);
		if (found.length === 0 && cut) found = preferEqual(findInAll(want, 50), want);
		if (found.length > 0) return onlyOne(found, quoteText(target));
		throw new TargetError("none", `no visible element says ${quoteText(target)}; take a snapshot and use a ref`);
	}
	// injected/page/scroll.ts
	var copyRect = ({ x, y, width, height }) => ({
		x,
		y,
		width,
		height
	});
	var scaleOf = (holder, width) => width / holder.offsetWidth || 1;
	function mapOutOfFrame(box, holder) {
		const r = rectOf(holder);
		const scale = scaleOf(holder, r.width);
		const style = getComputedStyle(holder);
		return {
			x: r.x + (box.x + holder.clientLeft + parseFloat(style.paddingLeft)) * scale,
			y: r.y + (box.y + holder.clientTop + parseFloat(style.paddingTop)) * scale,
			width: box.width * scale,
			height: box.height * scale
		};
	}
	function mapToWindow(box, doc) {
		let view = doc.defaultView;
		while (view && view !== window) {
			box = mapOutOfFrame(box, view.frameElement);
			view = view.parent;
		}
		return box;
	}
	function scrollDistance(low, high, from, to) {
		return low >= from && high <= to ? 0 : (low + high - from - to) / 2;
	}
	function canScroll(el, view) {
		if (el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1) return false;
		const style = view.getComputedStyle(el);
		return style.overflowX !== "visible" || style.overflowY !== "visible";
	}
	function scrollWithin(el, box) {
		const outer = rectOf(el);
		const scale = scaleOf(el, outer.width);
		const left = outer.x + el.clientLeft * scale;
		const top = outer.y + el.clientTop * scale;
		el.scrollBy({
			left: scrollDistance(box.x, box.x + box.width, left, left + el.clientWidth * scale) / scale,
			top: scrollDistance(box.y, box.y + box.height, top, top + el.clientHeight * scale) / scale,
			behavior: "instant"
		});
	}
	function revealElement(el) {
		scrollToCenter(el);
		noteReveal(el);
	}
	function scrollToBox(start, readBox) {
		const doc = documentOf$1(start);
		const view = doc.defaultView;
		if (!view) return;
		for (let el = start; isElement(el); el = parentOf(el)) if (el !== doc.scrollingElement && canScroll(el, view)) scrollWithin(el, readBox());
		for (let tries = 0; tries < 3; tries++) {
			const box = readBox();
			const left = scrollDistance(box.x, box.x + box.width, 0, view.innerWidth);
			const top = scrollDistance(box.y, box.y + box.height, 0, view.innerHeight);
			if (!left && !top) break;
			view.scrollBy({
				left,
				top,
				behavior: "instant"
			});
		}
		if (view === window) return;
		const holder = view.frameElement;
		scrollToBox(holder, () => mapOutOfFrame(readBox(), holder));
	}
	// injected/page/aim.ts
	function unreachableError(spot, description) {
		if (!isPoint(spot)) {
			if (!spot.hasBoxes) return new TargetError("hidden", `${description} is not visible`);
			if (spot.covered) return coveredError(description, spot.covered);
		}
		return new TargetError("hidden", `${description} is outside the page and cannot be scrolled into view`);
	}
	var coveredError = (description, by) => new TargetError("covered", `${description} is covered by ${describeWithRef(by)}: deal with that first`);
	function findSpotInView(el) {
		const spot = findSpot(el);
		if (isPoint(spot)) return spot;
		revealElement(el);
		return findSpot(el);
	}
	function isAnimated(el) {
		return animationsOf(document).some((a) => {
			const target = a.effect?.target;
			return a.playState === "running" && target && (target.contains(el) || el.contains(target));
		});
	}
	var isNear = (a, b) => Math.abs(a.x - b.x) < 1.5 && Math.abs(a.y - b.y) < 1.5;
	async function aimAt(target, unsure, clicks) {
		const turn = nextTurn();
		removeGuard();
		const el = findElement(target);
		const words = describe(el);
		if (matchesSelector(el, ":disabled") || attributeOf(el, "aria-disabled") === "true") throw new TargetError("disabled", `${words} is disabled`);
		const finish = ({ x, y }) => {
			const point = {
				ref: refOf(el),
				words,
				x,
				y
			};
			if (clicks) setGuard(el, turn);
			return point;
		};
		const still = !isAnimated(el);
		let spot = findSpotInView(el);
		if (isPoint(spot) && still && !unsure) return finish(spot);
		for (let tries = 0; tries < 6; tries++) {
			if (!isPoint(spot)) revealElement(el);
			await afterTwoFrames();
			if (!isConnected(el)) throw new TargetError("stale", target);
			const now = findSpot(el);
			if (isPoint(now) && isPoint(spot) && isNear(now, spot)) return finish(now);
			spot = now;
		}
		if (isPoint(spot)) return finish(spot);
		throw unreachableError(spot, words);
	}
	async function locateElement(target) {
		const el = findElement(target);
		let spot = findSpot(el);
		if (!isPoint(spot)) {
			scrollToCenter(el);
			await afterTwoFrames();
			spot = findSpot(el);
		}
		if (isPoint(spot)) return {
			ref: refOf(el),
			words: describe(el),
			x: spot.x,
			y: spot.y
		};
		const offset = offsetOf(el);
		const r = rectOf(el);
		return {
			ref: refOf(el),
			words: describe(el),
			x: r.x + r.width / 2 + offset.x,
			y: r.y + r.height / 2 + offset.y
		};
	}
	async function locateDrop(target, from) {
		const there = await locateElement(target);
		const dragged = from ? elementOf(from) : void 0;
		const el = findElement(there.ref);
		if (!dragged || dragged === el || !isConnected(dragged) || parentElementOf(dragged) !== parentElementOf(el)) return there;
		if (tagNameOf(dragged) !== tagNameOf(el)) return there;
		const [a, b] = [rectOf(dragged), rectOf(el)];
		const [dx, dy] = [b.x + b.width / 2 - a.x - a.width / 2, b.y + b.height / 2 - a.y - a.height / 2];
		const sideways = Math.abs(dx) > Math.abs(dy);
		const beyond = .30000000000000004 * Math.sign(sideways ? dx : dy);
		const spot = {
			x: there.x + (sideways ? beyond * b.width : 0),
			y: there.y + (sideways ? 0 : beyond * b.height)
		};
		return isOutside(spot) ? there : {
			...there,
			...spot
		};
	}
	async function boxOfElement(target) {
		await locateElement(target);
		const el = findElement(target);
		const offset = offsetOf(el);
		const r = rectOf(el);
		return {
			x: r.x + offset.x + scrollX,
			y: r.y + offset.y + scrollY,
			width: r.width,
			height: r.height
		};
	}
	var isOutside = (p) => p.x < 0 || p.y < 0 || p.x >= innerWidth || p.y >= innerHeight;
	function pointInFrame(el, x, y) {
		const offset = offsetOf(el);
		const r = rectOf(el);
		const style = getComputedStyle(el);
		return {
			x: r.x + el.clientLeft + parseFloat(style.paddingLeft) + offset.x + x,
			y: r.y + el.clientTop + parseFloat(style.paddingTop) + offset.y + y
		};
	}
	function mapFramePoint(number, x, y) {
		const el = foreignFrame(number);
		if (!(el && isConnected(el))) throw new TargetError("stale", "the frame");
		let p = pointInFrame(el, x, y);
		if (isOutside(p) || elementAt(p.x, p.y) !== el) {
			revealElement(el);
			p = pointInFrame(el, x, y);
			if (isOutside(p)) {
				const by = {
					left: p.x - innerWidth / 2,
					top: p.y - innerHeight / 2
				};
				viewOf(documentOf$1(el))?.scrollBy({
					...by,
					behavior: "instant"
				});
				p = pointInFrame(el, x, y);
			}
		}
		if (isOutside(p)) throw new TargetError("hidden", "that position in the frame cannot be scrolled into view");
		const hit = elementAt(p.x, p.y);
		if (hit && !receives(el, hit)) throw coveredError("it", hit);
		return p;
	}
	function focusElement(target) {
		const el = findElement(target);
		scrollToCenter(el);
		el.focus();
		if (!hasFocusWithin(el)) throw new TargetError("bad", `${describe(el)} cannot be focused: click it`);
		return { words: describe(el) };
	}
	function hasFocusWithin(el) {
		const focused = focusedElement();
		return focused !== null && isWithin(focused, el);
	}
	// injected/page/fields.ts
	var SET_TYPES = [
		"date",
		"time",
		"month",
		"week",
		"datetime-local",
		"color",
		"range"
	];
	var CLICKED_TYPES = [
		"checkbox",
		"radio",
		"button",
		"submit",
		"reset",
		"image",
		"hidden"
	];
	var takesInput = (el) => isTextArea(el) || isSelect(el) || isEditable(el) || isInput(el);
	function findInside(el) {
		const [field, ...others] = [...el.querySelectorAll("input, textarea, select, [contenteditable]")].filter(isVisible);
		if (!field || others.length > 0) throw new TargetError("bad", `${describe(el)} is not a text field`);
		return field;
	}
	function findField(target) {
		const named = labelTarget(findElement(target));
		const el = takesInput(named) ? named : findInside(named);
		if (isInput(el) && CLICKED_TYPES.includes(el.type)) throw new TargetError("bad", `${describe(el)} is not a text field: click it`);
		if (isInput(el) && el.type === "file") throw new TargetError("bad", `${describe(el)} takes files: give them with browser_upload`);
		if (matchesSelector(el, ":disabled")) throw new TargetError("disabled", `${describe(el)} is disabled`);
		if (el.readOnly) throw new TargetError("disabled", `${describe(el)} is read-only`);
		if (isSelect(el)) return {
			el,
			kind: "choose"
		};
		return {
			el,
			kind: isInput(el) && SET_TYPES.includes(el.type) ? "set" : "text"
		};
	}
	function findOptions(el, description, names) {
		const options = [...el.options];
		const found = names.map((name) => {
			const want = normalizeQuery(name);
			const findBy = (test) => options.find((o) => !o.disabled && (test(normalizeQuery(o.label)) || test(o.value.toLowerCase())));
			const option = findBy((s) => s === want) ?? (want ? findBy((s) => s.includes(want)) : void 0);
			if (option) return option;
			const some = options.slice(0, 20).map((o) => quoteText(o.label, 40));
			const rest = options.length - some.length;
			const more = rest > 0 ? ` and ${rest} more, which browser_find lists with role=option` : "";
			throw new TargetError("none", `${description} has no option ${quoteText(name)}; it has ${some.join(", ")}${more}`);
		});
		if (found.length > 1 && !el.multiple) throw new TargetError("bad", `${description} takes one option`);
		return found;
	}
	var SUGGESTING = [
		"aria-autocomplete",
		"aria-controls",
		"aria-owns",
		"aria-haspopup",
		"list"
	];
	function isSuggesting(el) {
		const role = roleOf(el);
		if (role === "combobox" || role === "searchbox") return true;
		return SUGGESTING.some((name) => hasAttribute(el, name)) || attributeOf(el, "autocomplete") === "off";
	}
	function notifyChanged(el) {
		el.dispatchEvent(new Event("input", {
			bubbles: true,
			composed: true
		}));
		el.dispatchEvent(new Event("change", { bubbles: true }));
	}
	function maskField(target) {
		const { el } = findField(target);
		el.style.setProperty("-webkit-text-security", "disc", "important");
		return { words: describe(el) };
	}
	function findFileInput(target, count) {
		const named = labelTarget(findElement(target));
		const el = isInput(named) ? named : named.querySelector("input[type=file]") ?? named;
		if (!isInput(el) || el.type !== "file") throw new TargetError("bad", `${describe(el)} takes no files`);
		if (count > 1 && !el.multiple) throw new TargetError("bad", `${describe(el)} takes one file`);
		return {
			ref: refOf(el),
			words: describe(el)
		};
	}
	var CHECKABLE = [
		"checkbox",
		"radio",
		"switch",
		"menuitemcheckbox",
		"menuitemradio"
	];
	function findCheckbox(target) {
		const el = labelTarget(findElement(target));
		if (!CHECKABLE.includes(roleOf(el))) throw new TargetError("bad", `${describe(el)} cannot be ticked`);
		const input = isInput(el) ? el : null;
		const checked = input ? input.checked : attributeOf(el, "aria-checked") === "true";
		return {
			ref: refOf((rectsOf$1(el).length > 0 && getComputedStyle(el).opacity !== "0" ? void 0 : [...el.labels ?? []].find(isVisible)) ?? el),
			words: describe(el),
			checked
		};
	}
	// injected/page/fieldkeys.ts
	var MAX_STEPS = 300;
	var repeat = (key, n) => new Array(n).fill(key);
	function keysForOption(el, option) {
		const isOffered = (o) => !o.disabled && !o.hidden && !parentElementOf(o)?.disabled;
		const offered = [...el.options].filter(isOffered);
		const to = offered.indexOf(option);
		const chosen = el.selectedOptions[0];
		const from = chosen ? offered.indexOf(chosen) : -1;
		if (to < 0 || to === from) return [];
		return [
			"Space",
			...from < 0 ? ["Home", ...repeat("ArrowDown", to)] : repeat(to > from ? "ArrowDown" : "ArrowUp", Math.abs(to - from)),
			"Enter"
		];
	}
	function keysForSlider(el, value) {
		const step = Number(el.step || 1);
		const n = step ? Math.round((value - Number(el.value)) / step) : NaN;
		return Math.abs(n) <= MAX_STEPS ? repeat(n > 0 ? "ArrowRight" : "ArrowLeft", Math.abs(n)) : [];
	}
	var partTypes = (language, options) => new Intl.DateTimeFormat(language, options).formatToParts(0).map((p) => p.type);
	function keysForDate(type, value, language) {
		const m = /^(?:(\d{4})-(\d\d)-(\d\d))?T?(?:(\d\d):(\d\d))?$/.exec(value);
		if (!m || ![
			"date",
			"time",
			"datetime-local"
		].includes(type)) return [];
		const day = type === "time" ? [] : partTypes(language, {
			year: "numeric",
			month: "2-digit",
			day: "2-digit"
		});
		const time = type === "date" ? [] : partTypes(language, {
			hour: "2-digit",
			minute: "2-digit"
		});
		const hours = Number(m[4]);
		const parts = {
			year: m[1] ?? "",
			month: m[2] ?? "",
			day: m[3] ?? "",
			hour: time.includes("dayPeriod") ? String(hours % 12 || 12).padStart(2, "0") : m[4] ?? "",
			minute: m[5] ?? "",
			dayPeriod: hours < 12 ? "a" : "p"
		};
		const order = [...day, ...time].filter((part) => part in parts);
		return order.flatMap((part, i) => {
			const keys = Array.from(parts[part] ?? "");
			return part === "year" && i < order.length - 1 ? [...keys, "ArrowRight"] : keys;
		});
	}
	// injected/page/fill.ts
	var EXAMPLES = {
		date: "2025-03-14",
		time: "13:45",
		month: "2025-03",
		week: "2025-W11",
		"datetime-local": "2025-03-14T13:45",
		color: "#1a2b3c",
		range: "a number"
	};
	function focusField(el) {
		const spot = findSpotInView(el);
		if (!isPoint(spot)) throw unreachableError(spot, describe(el));
		if (focusedElement() === el) el.blur();
		el.focus();
	}
	function planOptions(el, options) {
		const open = el.multiple || el.size > 1;
		focusField(el);
		const indices = options.map((o) => o.index);
		return {
			keys: open || !options[0] ? [] : keysForOption(el, options[0]),
			places: open ? indices : [],
			indices
		};
	}
	function planChoice(target, names) {
		const { kind, el } = findField(target);
		const words = describe(el);
		if (kind !== "choose") throw new TargetError("bad", `${words} is not a list with options: click it and then its entry`);
		const select = el;
		return {
			ref: refOf(el),
			words,
			kind,
			...planOptions(select, findOptions(select, words, names))
		};
	}
	function checkValue(el, description, text) {
		const probe = el.cloneNode();
		probe.value = text;
		if (!(el.type === "range" ? text.trim() === "" || Number.isNaN(Number(text)) : probe.value.toLowerCase() !== text.toLowerCase())) return probe.value;
		const example = EXAMPLES[el.type] ?? "";
		throw new TargetError("bad", `${description} does not take ${quoteText(text)}: write it like ${example}`);
	}
	function planFill(target, text) {
		const { el, kind } = findField(target);
		const plan = {
			ref: refOf(el),
			words: describe(el),
			kind,
			suggests: isSuggesting(el),
			keys: [],
			value: text
		};
		if (kind === "choose") {
			const select = el;
			return {
				...plan,
				...planOptions(select, findOptions(select, plan.words, [text]))
			};
		}
		if (kind === "set") {
			const input = el;
			plan.value = checkValue(input, plan.words, text);
			focusField(input);
			plan.keys = input.type === "range" ? keysForSlider(input, Number(plan.value)) : keysForDate(input.type, text, navigator.language);
		}
		return plan;
	}
	async function locateOption(target, index) {
		const el = findElement(target);
		await afterNextFrame();
		const option = el.options?.[index];
		if (!option) throw new TargetError("stale", target);
		option.scrollIntoView({
			block: "nearest",
			behavior: "instant"
		});
		const spot = findSpot(option);
		const point = isPoint(spot) ? spot : {
			x: -1,
			y: -1
		};
		return {
			ref: target,
			words: quoteText(option.label, 60),
			x: point.x,
			y: point.y
		};
	}
	function isFilled(target, value, indices) {
		const el = findElement(target);
		if (!indices) return { held: el.value === value };
		const chosen = [...el.selectedOptions].map((o) => o.index);
		return { held: chosen.length === indices.length && indices.every((i) => chosen.includes(i)) };
	}
	function setField(target, value, indices) {
		const el = findElement(target);
		const select = el;
		el.focus();
		if (!indices) el.value = value;
		else if (!select.multiple) select.selectedIndex = indices[0] ?? -1;
		else for (const o of select.options) o.selected = indices.includes(o.index);
		notifyChanged(el);
		return true;
	}
	function moveCaret(target, all) {
		const el = findElement(target);
		if (!hasFocusWithin(el)) el.focus();
		if (isInput(el) || isTextArea(el)) {
			if (all) el.select();
			else try {
				el.setSelectionRange(el.value.length, el.value.length);
			} catch {
				return {
					end: true,
					empty: el.value === "",
					lines: false
				};
			}
			return {
				end: false,
				empty: el.value === "",
				lines: isTextArea(el)
			};
		}
		const range = documentOf$1(el).createRange();
		range.selectNodeContents(el);
		if (!all) range.collapse(false);
		const selection = viewOf(documentOf$1(el))?.getSelection();
		selection?.removeAllRanges();
		selection?.addRange(range);
		return {
			end: false,
			empty: textContentOf(el) === "",
			lines: true
		};
	}
	var typing = null;
	function contentOf(el) {
		return isInput(el) || isTextArea(el) ? el.value : textContentOf(el);
	}
	function startTyping(target) {
		const el = findElement(target);
		typing?.inputs.abort();
		const inputs = new AbortController();
		const own = {
			el,
			was: contentOf(el),
			taken: false,
			inputs
		};
		typing = own;
		const options = {
			capture: true,
			signal: inputs.signal
		};
		addEventListener("input", () => own.taken = true, options);
		viewOf(documentOf$1(el))?.addEventListener("input", () => own.taken = true, options);
		const refusal = refusalOf(el);
		if (!refusal) return true;
		throw new TargetError("disabled", `${refusal}: nothing was typed`);
	}
	function refusalOf(el) {
		if (matchesSelector(el, ":disabled")) return `${describe(el)} was disabled when it got the focus`;
		if ((isInput(el) || isTextArea(el)) && el.readOnly) return `${describe(el)} became read-only when it got the focus`;
		return "";
	}
	function checkTyped(target, text, cleared) {
		const own = typing;
		typing = null;
		own?.inputs.abort();
		const el = findElement(target);
		if (own?.el !== el) return {};
		const now = contentOf(el);
		const words = describe(el);
		const secret = isInput(el) && el.type === "password";
		if (now === (cleared ? text : own.was + text) || !isConnected(el)) return {};
		if (now === own.was && !own.taken) return { problem: `${refusalOf(el) || (hasFocusWithin(el) ? "" : `${words} lost the focus`) || `${words} did not take the text`}: nothing was typed` };
		if (secret || !isInput(el) && !isTextArea(el)) return {};
		return { note: `the page changed the text in ${truncate(words, 80)}: look at its value` };
	}
	// injected/page/textindex.ts
	var MAX_NODES = 2e5;
	var MAX_DEPTH$1 = 1e3;
	var MAX_FIELDS = 100;
	var BLOCKS = `p,div,li,ul,ol,dl,dt,dd,td,th,tr,table,h1,h2,h3,h4,h5,h6,section,article,header,footer,main,nav,aside,
  form,fieldset,pre,blockquote,figure,figcaption,button,option,label,body`;
	var SKIPPED_TAGS$1 = new Set([
		"SCRIPT",
		"STYLE",
		"NOSCRIPT",
		"TEMPLATE",
		"OPTION",
		"HEAD",
		"SELECT"
	]);
	var TEXT_TYPES = new Set([
		"text",
		"search",
		"url",
		"email",
		"tel",
		"number",
		"button",
		"submit",
		"reset"
	]);
	var fieldRoots = new WeakMap();
	function openField(root) {
		fieldRoots.set(root.host, root);
	}
	function foldCase(text) {
		const low = text.toLowerCase();
		if (low.length === text.length) return low;
		return Array.from(text, (c) => c.toLowerCase().length === c.length ? c.toLowerCase() : c).join("");
	}
	var isTextField = (el) => tagNameOf(el) === "TEXTAREA" || tagNameOf(el) === "INPUT" && TEXT_TYPES.has(el.type);
	var TextReader = class {
		want;
		parts = [];
		closedFields = [];
		nodes = 0;
		constructor(want) {
			this.want = want;
		}
		visit(n, depth) {
			if (++this.nodes > MAX_NODES || depth > MAX_DEPTH$1) return;
			if (isTextNode(n)) this.addText(n);
			if (!isElement(n) || SKIPPED_TAGS$1.has(tagNameOf(n)) || !isRendered(n)) return;
			if (isTextField(n)) {
				if (isVisible(n)) this.addField(n);
				return;
			}
			if (tagNameOf(n) === "INPUT") return;
			const doc = isFrame(n) ? innerDocument(n) : null;
			if (doc) this.visit(bodyOf(doc), depth + 1);
			for (const c of childrenOf(n)) this.visit(c, depth + 1);
		}
		addText(node) {
			const root = rootOf(node);
			const parent = parentElementOf(node) ?? root.host;
			if (!/\S/.test(node.data) || !isVisible(parent)) return;
			this.parts.push({
				node,
				block: parentElementOf(node)?.closest(BLOCKS) ?? root
			});
		}
		addField(el) {
			const root = fieldRoots.get(el);
			if (!root) {
				if (this.closedFields.length < MAX_FIELDS && foldCase(el.value).includes(this.want)) this.closedFields.push(el);
				return;
			}
			const texts = documentOf$1(el).createTreeWalker(root, NodeFilter.SHOW_TEXT);
			for (let n = texts.nextNode(); n; n = texts.nextNode()) this.parts.push({
				node: n,
				block: root
			});
		}
	};
	function joinParts(parts) {
		const nodes = [];
		let text = "";
		let block = null;
		for (const part of parts) {
			if (part.block !== block) text += "\n";
			block = part.block;
			nodes.push({
				node: part.node,
				start: text.length
			});
			text += part.node.data.replace(/\s/g, " ");
		}
		return {
			text: foldCase(text),
			nodes
		};
	}
	function positionAt(nodes, position, isEnd) {
		let low = 0;
		let high = nodes.length - 1;
		while (low < high) {
			const middle = low + high + 1 >> 1;
			if ((nodes[middle]?.start ?? 0) <= (isEnd ? position - 1 : position)) low = middle;
			else high = middle - 1;
		}
		const found = nodes[low];
		return found ? [found.node, Math.min(position - found.start, found.node.data.length)] : null;
	}
	function searchText(query, limit) {
		const want = foldCase(query);
		const reader = new TextReader(want);
		reader.visit(bodyOf(document), 0);
		const { text, nodes } = joinParts(reader.parts);
		const ranges = [];
		for (let i = text.indexOf(want); i >= 0 && ranges.length < limit; i = text.indexOf(want, i + want.length)) {
			const start = positionAt(nodes, i, false);
			const end = positionAt(nodes, i + want.length, true);
			if (!start || !end) break;
			const range = start[0].ownerDocument.createRange();
			range.setStart(...start);
			range.setEnd(...end);
			ranges.push(range);
		}
		return {
			ranges,
			closedFields: reader.closedFields
		};
	}
	// injected/page/findtext.ts
	var STYLE = `::highlight(goalpost-found){background:#ffe066;color:#000}
::highlight(goalpost-here){background:#ff8a1f;color:#000}`;
	var sheets = new Map();
	var ranges = [];
	var closedFields = [];
	var documentOf = (range) => range.startContainer.ownerDocument ?? document;
	var boxOf = (range) => mapToWindow(copyRect(range.getBoundingClientRect()), documentOf(range));
	function clearHighlights(doc) {
		const view = doc.defaultView;
		const sheet = sheets.get(doc);
		sheets.delete(doc);
		view?.CSS.highlights.delete("goalpost-found");
		view?.CSS.highlights.delete("goalpost-here");
		doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((s) => s !== sheet);
	}
	function highlight(doc, list, current) {
		const view = doc.defaultView;
		if (!view || list.length === 0) {
			clearHighlights(doc);
			return;
		}
		if (!sheets.has(doc)) {
			const sheet = new view.CSSStyleSheet();
			sheet.replaceSync(STYLE);
			sheets.set(doc, sheet);
			doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, sheet];
		}
		const front = new view.Highlight(...list.filter((r) => r === current));
		front.priority = 1;
		view.CSS.highlights.set("goalpost-found", new view.Highlight(...list));
		view.CSS.highlights.set("goalpost-here", front);
	}
	function highlightAll(current) {
		const lists = new Map();
		for (const doc of sheets.keys()) lists.set(doc, []);
		for (const range of ranges) {
			const doc = documentOf(range);
			const list = lists.get(doc);
			if (list) list.push(range);
			else lists.set(doc, [range]);
		}
		for (const [doc, list] of lists) highlight(doc, list, current);
	}
	function findText(query, limit) {
		({ranges, closedFields} = searchText(query, limit));
		const first = ranges.findIndex((r) => boxOf(r).y >= 0);
		return {
			count: ranges.length,
			first: Math.max(first, 0),
			fields: closedFields.length
		};
	}
	var listClosedFields = () => closedFields;
	function showText(at) {
		const current = ranges[at];
		highlightAll(current);
		if (!current) return null;
		const start = current.startContainer;
		scrollToBox(start.parentElement ?? start.getRootNode().host, () => current.getBoundingClientRect());
		return boxOf(current);
	}
	function scrollToFrameBox(number, inside) {
		const el = foreignFrame(number);
		if (!el?.isConnected) throw new TargetError("stale", "the frame");
		const readBox = () => mapOutOfFrame(inside, el);
		scrollToBox(el, readBox);
		return mapToWindow(readBox(), el.ownerDocument);
	}
	function endFindText() {
		ranges = [];
		closedFields = [];
		highlightAll();
		return true;
	}
	// injected/page/login.ts
	function* eachDocument(doc) {
		yield doc;
		for (const el of queryIn(doc, "iframe, frame")) {
			const inside = innerDocument(el);
			if (inside) yield* eachDocument(inside);
		}
	}
	var originOf$1 = (doc) => doc.defaultView?.origin ?? "null";
	function listOrigins() {
		return [...new Set([...eachDocument(document)].map(originOf$1))].filter((o) => /^https?:/.test(o)).slice(0, 20);
	}
	function findLoginForm(origin) {
		const documents = [...eachDocument(document)].filter((doc) => originOf$1(doc) === origin);
		let error = new TargetError("origin", `the origin of the page is ${location.origin} and not ${origin}`);
		for (const [i, doc] of documents.entries()) try {
			return findFormIn(doc);
		} catch (e) {
			if (!(e instanceof TargetError)) throw e;
			if (i === 0) error = e;
		}
		throw error;
	}
	var NAME_HINT = /user|login|mail|account/i;
	function isUserField(el) {
		return /username|email|webauthn/.test(el.autocomplete) || el.type === "email" || NAME_HINT.test(`${el.name} ${el.id}`);
	}
	function findFormIn(doc) {
		const fields = [...eachRendered(doc.documentElement)].filter(isInput).filter((el) => documentOf$1(el) === doc && isVisible(el) && !el.disabled && !el.readOnly);
		const passwords = fields.filter((el) => el.type === "password" && el.autocomplete !== "new-password");
		if (passwords.length > 1) throw new TargetError("many", `${passwords.length} fields ask for a password: this is not a login form`);
		const names = fields.filter((el) => [
			"text",
			"email",
			"tel"
		].includes(el.type));
		const userFields = names.filter(isUserField);
		const [password] = passwords;
		if (!password) {
			const [user, ...others] = userFields;
			if (!user || others.length > 0) throw new TargetError("none", "the page has no login form");
			return {
				user: refOf(user),
				password: ""
			};
		}
		const isBefore = (el) => el.form === password.form && (el.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
		const user = userFields.findLast(isBefore) ?? names.findLast(isBefore);
		return {
			user: user ? refOf(user) : "",
			password: refOf(password)
		};
	}
	function hasOrigin(target, origin) {
		return { held: originOf$1(findElement(target).ownerDocument) === origin };
	}
	// injected/page/preview.ts
	var CARD_FIELD = "input[autocomplete^=\"cc-\"], input[name=\"cardnumber\"]";
	var CARD = [CARD_FIELD, ...[
		"js.stripe.com",
		"paypal.com",
		"braintree",
		"adyen.com",
		"checkout.com"
	].map((address) => `iframe[src*="${address}"]`)].join(", ");
	var FIELDS = "input:not([type=button], [type=submit], [type=image], [type=reset]), textarea, select, option";
	var SUBMITTERS = "button, input[type=submit], input[type=image]";
	var originOf = (doc) => doc.defaultView?.origin ?? "";
	function hasInFrames(doc, selector) {
		return [...queryIn(doc, "iframe")].map((f) => f).some((f) => f.contentDocument?.querySelector(selector));
	}
	function hasCardField(doc = document) {
		return queryIn(doc, CARD_FIELD).length > 0 || hasInFrames(doc, CARD_FIELD);
	}
	function hasPayment() {
		return queryIn(document, CARD).length > 0 || hasInFrames(document, CARD);
	}
	var withoutFragment = (address) => address.split("#")[0];
	function isPlainLink(link) {
		if (!/^https?:/.test(link.href) || closestOf(link, "[onclick], [role=button]")) return false;
		return withoutFragment(link.href) !== withoutFragment(documentOf$1(link).URL);
	}
	function isSent(f) {
		if (!f.name || f.disabled || tagNameOf(f) === "BUTTON") return false;
		if ([
			"submit",
			"image",
			"reset",
			"button"
		].includes(f.type)) return false;
		return f.type !== "checkbox" && f.type !== "radio" || f.checked;
	}
	var isHidden = (f) => f.type === "hidden" || !f.checkVisibility({
		opacityProperty: true,
		visibilityProperty: true
	});
	function listSentFields(form) {
		const sent = [...form.elements].filter(isSent).map((f) => ({
			f,
			hidden: isHidden(f)
		}));
		sent.sort((a, b) => Number(a.hidden) - Number(b.hidden));
		const fields = sent.slice(0, 500).map(({ f, hidden }) => {
			const value = f.type === "password" || /^cc-|password|one-time-code/.test(attributeOf(f, "autocomplete") ?? "") ? f.value ? "••••" : "" : sanitizeText(f.value, 2e3);
			return {
				name: sanitizeText(f.name, 60),
				value,
				hidden
			};
		});
		return {
			fields,
			left: sent.length - fields.length
		};
	}
	var NOTHING = {
		link: "",
		method: "",
		action: "",
		fields: [],
		left: 0,
		acts: false,
		payment: false,
		origin: "",
		element: ""
	};
	function submitterOf(form, sender, button) {
		if (sender === button) return sender;
		return [...queryIn(rootOf(form), SUBMITTERS)].find((b) => b.form === form && b.type !== "button" && b.type !== "reset") ?? sender;
	}
	function previewForm(form, by) {
		const read = (name) => (hasAttribute(by, "form" + name) ? attributeOf(by, "form" + name) : attributeOf(form, name)) ?? "";
		const method = read("method").toUpperCase();
		return {
			method: method === "POST" || method === "DIALOG" ? method : "GET",
			action: new URL(read("action") || documentOf$1(form).URL, documentOf$1(form).baseURI).href,
			...listSentFields(form)
		};
	}
	var isSender = (button) => button !== null && button.type !== "button" && button.type !== "reset";
	function previewClick(target, enter) {
		let el = target === "" ? focusedElement() : findElement(target);
		if (!el || el === documentOf$1(el).body) return {
			...NOTHING,
			origin: originOf(el?.ownerDocument ?? document)
		};
		if (isFrame(el)) return {
			...NOTHING,
			acts: true,
			element: describe(el)
		};
		const label = closestOf(el, "label");
		if (label?.control && isLabel(label) && !closestOf(el, "button, a[href], " + FIELDS)) el = label.control;
		const doc = documentOf$1(el);
		const out = {
			...NOTHING,
			payment: matchesSelector(el, CARD),
			origin: originOf(doc)
		};
		const link = closestOf(el, "a[href], area[href]");
		if (link) out.link = link.href;
		const button = closestOf(el, SUBMITTERS);
		out.element = describe(button ?? link ?? el);
		const sender = enter ? el : isSender(button) ? button : null;
		const form = sender && (sender.form ?? closestOf(sender, "form"));
		if (form) Object.assign(out, previewForm(form, submitterOf(form, sender, button)));
		const harmless = matchesSelector(el, FIELDS) || isEditable(el) || link !== null && !button && isPlainLink(link);
		out.acts = sender !== null || !harmless;
		if (link && hasCardField(doc)) out.payment = true;
		if (out.acts) out.payment ||= queryIn(doc, CARD).length > 0 || hasPayment();
		return out;
	}
	// injected/page/query.ts
	var MORE_ROLES = {
		TR: "row",
		TD: "cell",
		TH: "columnheader",
		UL: "list",
		OL: "list",
		LI: "listitem",
		P: "paragraph",
		ARTICLE: "article",
		ASIDE: "complementary",
		HEADER: "banner",
		FOOTER: "contentinfo",
		SECTION: "region",
		FIGURE: "figure",
		FIELDSET: "group",
		LABEL: "label",
		BLOCKQUOTE: "blockquote",
		PRE: "code",
		CODE: "code",
		OPTION: "option",
		SVG: "img",
		svg: "img",
		DL: "list",
		DT: "term",
		DD: "definition",
		HR: "separator",
		OUTPUT: "status"
	};
	var MAX_FOUND = 50;
	var MAX_OPTIONS = 400;
	function searchRoleOf(el) {
		return roleOf(el) || (MORE_ROLES[tagNameOf(el)] ?? "") || (isClickable(el) ? "clickable" : "");
	}
	function wantedAttribute(el, name) {
		if (name === "text") return textOf(el, 500);
		return name === "value" ? asControl(el).value : attributeOf(el, name);
	}
	function formatElement(el, attributes) {
		const role = searchRoleOf(el) || tagNameOf(el).toLowerCase();
		const name = nameOf(el, role) || textOf(el, 120);
		const offset = offsetOf(el);
		const r = rectOf(el);
		const parts = [refOf(el), role];
		if (name) parts.push(quoteText(name, 120));
		parts.push(...statesOf(el, role, focusedElement()));
		for (const attribute of attributes) {
			const value = wantedAttribute(el, attribute);
			if (value === null || value === void 0) continue;
			const isSecret = attribute === "value" && asControl(el).type === "password";
			parts.push(sanitizeText(attribute, 40) + "=" + (isSecret ? "\"••••\"" : quoteText(value, 500)));
		}
		parts.push(`${placeOf(r, offset)} ${sizeOf(r)}`);
		if (!isVisible(el)) parts.push("not visible");
		return parts.join(" ");
	}
	var optionLabel = (el) => asControl(el).label ?? textOf(el);
	function formatOptions(list) {
		const lines = list.slice(0, MAX_OPTIONS).map((el) => {
			const select = closestOf(el, "select");
			const option = asControl(el);
			const states = (option.selected || attributeOf(el, "aria-selected") === "true" ? " selected" : "") + (option.disabled ? " disabled" : "");
			return `${select ? refOf(select) + " has" : refOf(el)} option ${quoteText(optionLabel(el), 120)}${states}`;
		});
		return {
			count: list.length,
			lines
		};
	}
	function searchOptions(want) {
		return formatOptions([...eachRendered(rootElementOf(document))].flatMap((el) => {
			if (isSelect(el)) return [...el.options];
			return roleOf(el) === "option" ? [el] : [];
		}).filter((o) => !want || normalizeQuery(optionLabel(o)).includes(want)));
	}
	function searchPage(text, role, css, attributes) {
		const want = normalizeQuery(text);
		const wantedRole = role.toLowerCase();
		let list;
		if (css) list = selectAll(css, quoteText(css), 2e3);
		else if (wantedRole === "option") return searchOptions(want);
		else if (role) list = [...eachRendered(rootElementOf(document))];
		else {
			const { items, cut } = collect();
			const inner = items.filter((i) => i.name.toLowerCase().includes(want)).flatMap((i) => {
				const fitting = i.segments.filter((s) => normalizeQuery(s.text).includes(want));
				return fitting.length > 0 ? fitting.map((s) => s.el) : [i.el];
			});
			list = [...new Set([...inner, ...findEdited(items, want)])];
			if (cut) list = findInAll(want, MAX_FOUND);
		}
		const matches = (el) => {
			if (wantedRole && searchRoleOf(el) !== wantedRole) return false;
			if (!want || !css && !role) return true;
			return (nameOf(el, searchRoleOf(el)) + " " + textOf(el, 2e3)).toLowerCase().includes(want);
		};
		const found = list.filter(matches);
		return {
			lines: found.slice(0, MAX_FOUND).map((el) => formatElement(el, attributes)),
			count: found.length
		};
	}
	function describePoint(x, y) {
		const el = findElement(`at=${x},${y}`);
		return { words: `${describeAs(el, searchRoleOf(el) || tagNameOf(el).toLowerCase())} at ${x},${y}` };
	}
	// injected/page/markdown.ts
	var words = (list) => new Set(list.split(/\s+/));
	var SIDE_TAGS = words("NAV ASIDE FOOTER HEADER");
	var SIDE_ROLES = words("navigation complementary contentinfo banner search");
	var SKIPPED_TAGS = words("SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE DATALIST SVG svg BUTTON SELECT");
	var BLOCK_TAGS = words(`P DIV SECTION ARTICLE MAIN UL OL LI TABLE PRE BLOCKQUOTE H1 H2 H3 H4 H5 H6 FORM FIELDSET
  FIGURE DL DT DD HR NAV ASIDE FOOTER HEADER DETAILS SUMMARY ADDRESS BODY IFRAME DIALOG`);
	var WITHOUT_TEXT = [
		"password",
		"hidden",
		"checkbox",
		"radio",
		"submit",
		"button"
	];
	var MAX_CHARACTERS$2 = 1 << 20;
	var MAX_DEPTH = 400;
	var BREAK = "";
	function stripControls(value) {
		return String(value).toWellFormed().replace(/\p{Cf}/gu, "").replace(/[^\P{Cc}\n\t]/gu, " ");
	}
	var MarkdownWriter = class {
		whole;
		blocks = [];
		text = "";
		size = 0;
		constructor(whole) {
			this.whole = whole;
		}
		endBlock(prefix = "") {
			const lines = this.text.replace(/[ \t\n]+/g, " ").split(BREAK);
			const text = lines.map((line, i) => trimBreak(line, i > 0, i < lines.length - 1)).join("\n");
			this.text = "";
			if (text.trim()) this.addBlock(prefix + text.trim());
		}
		addBlock(block) {
			this.blocks.push(block);
			this.size += block.length;
		}
		addChildren(n, depth) {
			for (const c of childrenOf(n)) this.addNode(c, depth);
		}
		addNode(n, depth) {
			if (this.size > MAX_CHARACTERS$2 || depth > MAX_DEPTH) return;
			if (isTextNode(n)) this.text += stripControls(n.data.slice(0, 1e5));
			if (!isElement(n) || SKIPPED_TAGS.has(tagNameOf(n)) || !isRendered(n) || isAriaHidden(n)) return;
			const role = roleOf(n);
			if (!this.whole && isBeside(n, role)) return;
			if (this.addInline(n, depth) || this.addStructure(n, role, depth)) return;
			const doc = isFrame(n) ? innerDocument(n) : null;
			const block = BLOCK_TAGS.has(tagNameOf(n)) || /^(block|flex|grid|table|list-item|flow-root)/.test(getComputedStyle(n).display);
			if (block) this.endBlock();
			if (doc) this.addNode(bodyOf(doc), depth + 1);
			else this.addChildren(n, depth + 1);
			if (block) this.endBlock();
		}
		addInline(n, depth) {
			switch (tagNameOf(n)) {
				case "BR":
					this.text += BREAK;
					return true;
				case "IMG":
					if (isImage(n) && n.alt) this.text += `![${stripControls(n.alt)}]`;
					return true;
				case "CODE":
				case "KBD":
				case "SAMP":
					if (parentElementOf(n)?.tagName === "PRE") return false;
					this.text += "`" + stripControls(textContentOf(n)) + "`";
					return true;
				case "A":
					this.addLink(n, depth);
					return true;
				case "INPUT":
				case "TEXTAREA": {
					const field = n;
					if (field.value && !WITHOUT_TEXT.includes(field.type)) this.text += ` ${stripControls(field.value.slice(0, 500))} `;
					return true;
				}
			}
			return false;
		}
		addLink(n, depth) {
			const before = this.text;
			this.text = "";
			this.addChildren(n, depth + 1);
			const label = this.text.replace(/\s+/g, " ").trim();
			const { href } = asControl(n);
			const address = typeof href === "string" && /^https?:/.test(href) ? href : "";
			const short = address.startsWith(location.origin + "/") ? address.slice(location.origin.length) : address;
			const link = label && short ? `[${label}](${stripControls(short).slice(0, 200)})` : label;
			this.text = before + link + (/\s$/.test(this.text) ? " " : "");
		}
		addStructure(n, role, depth) {
			if (role === "heading") {
				const level = Number(attributeOf(n, "aria-level")) || Number(tagNameOf(n)[1]) || 2;
				this.endBlock();
				this.addChildren(n, depth + 1);
				this.endBlock("#".repeat(Math.min(6, level)) + " ");
				return true;
			}
			if (role === "table" || role === "grid") {
				this.endBlock();
				const table = formatTable(n, this.whole);
				if (table) this.addBlock(table);
				if (table) return true;
			}
			switch (tagNameOf(n)) {
				case "PRE":
					this.endBlock();
					this.addBlock("```\n" + stripControls(textContentOf(n)).replace(/\n+$/, "") + "\n```");
					return true;
				case "HR":
					this.endBlock();
					this.addBlock("---");
					return true;
				case "UL":
				case "OL":
					this.endBlock();
					this.addList(n, depth);
					return true;
				case "BLOCKQUOTE": {
					this.endBlock();
					const blocks = readBlocks(n, this.whole, depth + 1);
					if (blocks.length > 0) this.addBlock(blocks.join("\n\n").replace(/^/gm, "> "));
					return true;
				}
			}
			return false;
		}
		addList(n, depth) {
			const lines = [];
			let number = Number(attributeOf(n, "start")) || 1;
			for (const item of childrenOf(n)) {
				if (!isElement(item) || !isRendered(item)) continue;
				const blocks = readBlocks(item, this.whole, depth + 1);
				if (blocks.length === 0) continue;
				const mark = tagNameOf(n) === "OL" ? `${number++}. ` : "- ";
				lines.push(mark + blocks.join("\n").replace(/\n/g, "\n" + " ".repeat(mark.length)));
			}
			if (lines.length > 0) this.addBlock(lines.join("\n"));
		}
	};
	function trimBreak(line, isAfter, isBefore) {
		if (isAfter && line.startsWith(" ")) line = line.slice(1);
		return isBefore && line.endsWith(" ") ? line.slice(0, -1) : line;
	}
	var isBeside = (n, role) => SIDE_ROLES.has(role) || SIDE_TAGS.has(tagNameOf(n)) && !closestOf(n, "main, article, [role=main]");
	function readBlocks(n, whole, depth) {
		const writer = new MarkdownWriter(whole);
		writer.addChildren(n, depth);
		writer.endBlock();
		return writer.blocks;
	}
	var formatCell = (n, whole) => readBlocks(n, whole, 0).join(" ").replace(/\s+/g, " ").replace(/\|/g, "\\|");
	var CELLS = "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader], td, th";
	function readRow(row, whole) {
		const out = [];
		for (const c of row.cells ?? row.querySelectorAll(CELLS)) {
			if (!isRendered(c)) continue;
			out.push(formatCell(c, whole));
			for (let i = 1; i < Math.min(c.colSpan || 1, 50); i++) out.push("");
		}
		return out;
	}
	function formatTable(n, whole) {
		const table = n;
		const rows = [...table.rows ?? n.querySelectorAll("[role=row], tr")].filter(isRendered).map((row) => readRow(row, whole)).filter((cells) => cells.some((c) => c));
		const [head, ...body] = rows;
		if (!head) return "";
		const width = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
		const formatRow = (cells) => "| " + [...cells, ...new Array(width - cells.length).fill("")].join(" | ") + " |";
		const caption = table.caption ? formatCell(table.caption, whole) : "";
		return (caption ? caption + "\n\n" : "") + [
			formatRow(head),
			"|" + " --- |".repeat(width),
			...body.map(formatRow)
		].join("\n");
	}
	// injected/page/read.ts
	function mainContent() {
		const body = bodyOf(document);
		const sizeOf = (el) => textContentOf(el).length;
		const [best] = [...queryIn(document, "main, [role=main], article")].filter(isVisible).sort((a, b) => sizeOf(b) - sizeOf(a));
		return best && sizeOf(best) > .3 * sizeOf(body) ? best : body;
	}
	function readTables(root) {
		return [root, ...queryIn(root, "table, [role=table], [role=grid]")].filter((el) => ["table", "grid"].includes(roleOf(el)) && isRendered(el)).map((el) => formatTable(el, true)).filter((table) => table !== "");
	}
	function excerptText(text, from, limit) {
		if (from >= text.length) return {
			text: "",
			next: 0,
			total: text.length
		};
		let end = Math.min(text.length, from + limit);
		if (end < text.length) {
			const line = text.lastIndexOf("\n", end);
			if (line > from + limit / 2) end = line + 1;
			else if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "")) end--;
		}
		return {
			text: text.slice(from, end),
			next: end < text.length ? end : 0,
			total: text.length
		};
	}
	function readPage(target, tables, whole, from, limit) {
		const root = target ? findElement(target) : whole ? bodyOf(document) : mainContent();
		if (tables) return excerptText(readTables(root).join("\n\n"), from, limit);
		const writer = new MarkdownWriter(whole || Boolean(target));
		const doc = innerDocument(root);
		writer.addNode(doc ? doc.body : root, 0);
		writer.endBlock();
		return excerptText(writer.blocks.join("\n\n"), from, limit);
	}
	function readSource() {
		let html = rootElementOf(document).outerHTML;
		if (/type\s*=\s*.?password/i.test(html)) {
			const copy = new DOMParser().parseFromString(html, "text/html");
			for (const field of copy.querySelectorAll("input[type=password i]")) field.removeAttribute("value");
			html = copy.documentElement.outerHTML;
		}
		return `<!doctype html>\n${html}`;
	}
	// injected/page/redact.ts
	var SILENT_TAGS = new Set("SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE DATALIST".split(" "));
	var UNREADABLE_TYPES = [
		"hidden",
		"password",
		"checkbox",
		"radio",
		"range",
		"color",
		"image"
	];
	var MAX_CHARACTERS$1 = 4 << 20;
	var OBSERVED = {
		subtree: true,
		childList: true,
		characterData: true,
		characterDataOldValue: true,
		attributes: true,
		attributeOldValue: true,
		attributeFilter: [
			"value",
			"placeholder",
			"alt",
			"label"
		]
	};
	var ids = new WeakMap();
	var lastId = 0;
	function idOf(n) {
		let id = ids.get(n);
		if (id === void 0) ids.set(n, id = ++lastId * (isTextNode(n) ? 1 : -1));
		return id;
	}
	function generatedText(el, pseudo) {
		const { content } = getComputedStyle(el, pseudo);
		if (content === "none" || content === "normal") return "";
		if (content.includes("attr(")) return [...el.attributes].map((a) => a.value).join("");
		return unquoteContent(content);
	}
	function unquoteContent(content) {
		return content.replace(/^"|"$|" "|\\(?=["\\])/g, "");
	}
	var isMasked = (el) => getComputedStyle(el).getPropertyValue("-webkit-text-security") !== "none";
	function fieldText(el) {
		switch (tagNameOf(el)) {
			case "INPUT": {
				const input = el;
				return UNREADABLE_TYPES.includes(input.type) || isMasked(el) ? "" : input.value || input.placeholder;
			}
			case "TEXTAREA": {
				const area = el;
				return isMasked(el) ? "" : area.value || area.placeholder;
			}
			case "SELECT": return [...el.querySelectorAll("option, optgroup")].map((o) => o.label).join("");
			case "IMG": {
				const image = el;
				return image.complete && image.naturalWidth > 0 ? "" : image.alt;
			}
		}
		return null;
	}
	var FRAME_TAGS = [
		"IFRAME",
		"FRAME",
		"EMBED",
		"FENCEDFRAME"
	];
	var holdsDocument = (el) => FRAME_TAGS.includes(tagNameOf(el)) || tagNameOf(el) === "OBJECT" && Boolean(el.contentWindow);
	var Gatherer = class {
		pieces = [];
		frames = [];
		roots = [document];
		add(node, text) {
			if (text) this.pieces.push({
				node,
				text
			});
		}
		visit(n, frame) {
			if (isTextNode(n)) this.add(frame ?? n, n.data);
			if (!isElement(n) || SILENT_TAGS.has(tagNameOf(n))) return;
			const field = fieldText(n);
			if (field !== null) this.add(frame ?? n, field);
			else if (holdsDocument(n)) this.visitFrame(n, frame);
			else {
				const shadow = shadowOf(n);
				if (shadow) this.roots.push(shadow);
				this.add(frame ?? n, generatedText(n, "::before"));
				for (const c of childrenOf(n)) this.visit(c, frame);
				this.add(frame ?? n, generatedText(n, "::after"));
			}
		}
		visitFrame(n, frame) {
			const node = frame ?? n;
			const doc = tagNameOf(n) === "EMBED" ? null : innerDocument(n);
			if (!doc) this.frames.push({
				id: idOf(node),
				number: frame ? 0 : foreignNumber(n),
				node
			});
			else {
				this.roots.push(doc);
				this.visit(doc.documentElement, node);
			}
		}
	};
	var pieces = [];
	var frames = [];
	var pieceAt = (i) => pieces[i];
	var listFrames = () => frames;
	function gatherTexts() {
		const gatherer = new Gatherer();
		gatherer.visit(rootElementOf(document), null);
		pieces = gatherer.pieces;
		frames = gatherer.frames;
		const message = {
			ids: pieces.map((p) => idOf(p.node)),
			texts: pieces.map((p) => p.text),
			frames: frames.map(({ id, number }) => ({
				id,
				number
			}))
		};
		return {
			roots: gatherer.roots,
			message
		};
	}
	var records = [];
	var newRoots = null;
	var observer = new MutationObserver((list) => {
		records = records.concat(list);
	});
	onAdoptedRoot((root) => newRoots?.push(root));
	function observePassing(roots) {
		for (const root of roots) observer.observe(root, OBSERVED);
		newRoots = [];
	}
	function stopPassing() {
		observer.disconnect();
		records = [];
		newRoots = null;
	}
	function textWithout(n, redacted) {
		if (redacted.has(n)) return "";
		if (isTextNode(n)) return n.data;
		return [...(isElement(n) ? shadowOf(n) : null)?.childNodes ?? [], ...n.childNodes].map((c) => textWithout(c, redacted)).join("");
	}
	function listPassingTexts(redacted) {
		records = records.concat(observer.takeRecords());
		const texts = new Set();
		let size = 0;
		const add = (text) => {
			if (!text || texts.has(text)) return;
			size += text.length;
			if (size <= MAX_CHARACTERS$1) texts.add(text);
		};
		const joinTexts = (list) => Array.from(list, (n) => textWithout(n, redacted)).join("");
		for (const root of newRoots ?? []) add(textWithout(root, redacted));
		for (const r of records) if (r.type === "childList") {
			add(joinTexts(r.removedNodes));
			add(joinTexts(r.addedNodes));
		} else if (!redacted.has(r.target)) {
			add(r.oldValue);
			add(r.type === "attributes" ? r.target.getAttribute(r.attributeName ?? "") : r.target.data);
		}
		return {
			passed: [...texts],
			lost: size > MAX_CHARACTERS$1
		};
	}
	// injected/page/redactboxes.ts
	var tracked = [];
	var run = 0;
	async function startTexts() {
		if (isForeignFrame) await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 100))]);
		stopTracking();
		const { roots, message } = gatherTexts();
		observePassing(roots);
		return message;
	}
	function rectsOf({ node, from, to, text }) {
		if (isElement(node)) return [node.getBoundingClientRect()];
		const range = (node.ownerDocument ?? document).createRange();
		if (isTextNode(node) && node.data === text) {
			range.setStart(node, from);
			range.setEnd(node, to);
		} else range.selectNodeContents(node);
		return [...range.getClientRects()];
	}
	function joinBoxes(a, b) {
		return [
			Math.min(a[0], b[0]),
			Math.min(a[1], b[1]),
			Math.max(a[2], b[2]),
			Math.max(a[3], b[3])
		];
	}
	function mergeBoxes(was, now) {
		if (now.length === 0) return was;
		if (was.length === 0) return now;
		const paired = now.flatMap((b, i) => was[i] ? [joinBoxes(b, was[i])] : []);
		return was.length === now.length ? paired : [[...was, ...now].reduce(joinBoxes)];
	}
	function sampleBoxes(whole) {
		const dx = whole ? scrollX : 0;
		const dy = whole ? scrollY : 0;
		for (const t of tracked) {
			const now = rectsOf(t).filter((r) => r.width > 0 && r.height > 0).map((r) => [
				r.left + dx,
				r.top + dy,
				r.right + dx,
				r.bottom + dy
			]);
			t.boxes = mergeBoxes(t.boxes, now);
		}
	}
	function trackTexts(places, hidden, whole) {
		tracked = places.flatMap(([i, from, to]) => {
			const piece = pieceAt(i);
			return piece ? [{
				...piece,
				from,
				to,
				boxes: []
			}] : [];
		});
		for (const { id, node } of listFrames()) if (hidden.includes(id)) tracked.push({
			node,
			text: "",
			from: 0,
			to: 0,
			boxes: []
		});
		const own = ++run;
		const onFrame = () => {
			if (own !== run) return;
			sampleBoxes(whole);
			setTimeout(() => {
				if (own === run) sampleBoxes(whole);
			});
			requestAnimationFrame(onFrame);
		};
		sampleBoxes(whole);
		if (tracked.length > 0) requestAnimationFrame(onFrame);
		return true;
	}
	function endTexts(whole) {
		sampleBoxes(whole);
		const passing = listPassingTexts(new Set(tracked.map((t) => t.node)));
		const boxes = tracked.flatMap((t) => t.boxes);
		stopTracking();
		return {
			...gatherTexts().message,
			boxes,
			...passing,
			width: innerWidth
		};
	}
	function stopTracking() {
		run++;
		stopPassing();
		tracked = [];
		return true;
	}
	// injected/page/report.ts
	var MAX_CHARACTERS = 1 << 20;
	var formatItem = (item) => " ".repeat(indentOf(item)) + item.line + (item.place ? " " + item.place : "");
	function splitLines(items, limit = MAX_CHARACTERS) {
		const here = [];
		const there = [];
		let left = limit;
		for (const item of items) {
			const line = formatItem(item);
			left -= line.length;
			if (left < 0) return {
				here,
				there,
				cut: true
			};
			(item.inView ? here : there).push(line);
		}
		return {
			here,
			there,
			cut: false
		};
	}
	var PageText = class {
		page;
		lines;
		constructor(page, lines) {
			this.page = page;
			this.lines = lines;
		}
	};
	function takeSnapshot() {
		const { items, cut } = collect();
		const found = splitLines(items);
		return new PageText({
			inView: found.here.length,
			cut: cut || found.cut,
			known: countClosedRoots(),
			width: innerWidth,
			height: innerHeight,
			scroll: Math.round(scrollY),
			tall: Math.round(rootElementOf(document).scrollHeight),
			title: sanitizeText(titleOf(document), 200)
		}, [...found.here, ...found.there]);
	}
	function listMarks() {
		return collect().items.filter((i) => i.usable && i.inView).slice(0, 200).map(({ el, offset }) => {
			const r = rectOf(el);
			return {
				ref: refOf(el),
				x: r.x + offset.x,
				y: r.y + offset.y,
				width: r.width,
				height: r.height
			};
		});
	}
	function findSimilar(role, name) {
		return collect().items.filter((i) => i.usable && i.role === role && i.name === name).slice(0, 5).map((i) => refOf(i.el));
	}
	// injected/page/wait.ts
	var innerTextOf = (el) => el.innerText ?? "";
	function pageText() {
		const texts = [];
		const addInside = (root) => {
			for (const el of queryIn(root, "*")) {
				const shadow = shadowOf(el);
				if (shadow) {
					for (const c of shadow.children) texts.push(innerTextOf(c));
					addInside(shadow);
				} else if (isFrame(el)) {
					const doc = innerDocument(el);
					if (doc) addDocument(doc);
				}
			}
		};
		const addDocument = (doc) => {
			const body = doc.body;
			if (body) texts.push(innerTextOf(body));
			addInside(doc);
		};
		addDocument(document);
		return texts.join(" ");
	}
	function isThere(target) {
		try {
			return isVisible(findElement(target));
		} catch (e) {
			if (e instanceof TargetError && e.code === "many") return true;
			if (e instanceof TargetError && e.code !== "bad") return false;
			throw e;
		}
	}
	function matchesText(page, text, gone) {
		const content = page.replace(/\s+/g, " ").toLowerCase();
		return (!text || content.includes(normalizeQuery(text))) && (!gone || !content.includes(normalizeQuery(gone)));
	}
	function isFulfilled(text, gone, target) {
		if ((text || gone) && !matchesText(pageText(), text, gone)) return false;
		return !target || isThere(target);
	}
	function waitUntil(text, gone, target, timeout) {
		return new Promise((resolve) => {
			const fulfilled = isFulfilled(text, gone, target);
			if (fulfilled || !timeout) {
				resolve(fulfilled);
				return;
			}
			let due = false;
			const end = (result) => {
				observer.disconnect();
				clearInterval(interval);
				clearTimeout(limit);
				resolve(result);
			};
			const check = () => {
				due = false;
				try {
					if (isFulfilled(text, gone, target)) end(true);
				} catch {
					end(false);
				}
			};
			const observer = new MutationObserver(() => {
				if (!due) setTimeout(check, 50);
				due = true;
			});
			observer.observe(document, {
				subtree: true,
				childList: true,
				characterData: true,
				attributes: true
			});
			const interval = setInterval(check, 500);
			const limit = setTimeout(() => end(false), timeout);
		});
	}
	// injected/page.ts
	function answerCall(f) {
		return async (...args) => {
			try {
				forgetLabels();
				const ok = await f(...args);
				if (!(ok instanceof PageText)) return JSON.stringify({
					ok,
					...lastNumbers()
				});
				return [JSON.stringify({
					ok: ok.page,
					...lastNumbers()
				}), ...ok.lines].join("\n");
			} catch (e) {
				if (e instanceof TargetError) return JSON.stringify({
					code: e.code,
					message: e.message,
					...lastNumbers()
				});
				throw e;
			}
		};
	}
	var answered = {
		aimAt: answerCall(aimAt),
		boxOfElement: answerCall(boxOfElement),
		checkTyped: answerCall(checkTyped),
		countClosedRoots: answerCall(countClosedRoots),
		describePoint: answerCall(describePoint),
		endDiff: answerCall(endDiff),
		endTexts: answerCall(endTexts),
		findCheckbox: answerCall(findCheckbox),
		findFileInput: answerCall(findFileInput),
		findLoginForm: answerCall(findLoginForm),
		findSimilar: answerCall(findSimilar),
		findText: answerCall(findText),
		finishClick: answerCall(finishClick),
		focusElement: answerCall(focusElement),
		hasCardField: answerCall(() => hasCardField()),
		hasOrigin: answerCall(hasOrigin),
		hasPayment: answerCall(hasPayment),
		isFilled: answerCall(isFilled),
		listMarks: answerCall(listMarks),
		listOrigins: answerCall(listOrigins),
		locateDrop: answerCall(locateDrop),
		locateElement: answerCall(locateElement),
		locateOption: answerCall(locateOption),
		mapFramePoint: answerCall(mapFramePoint),
		maskField: answerCall(maskField),
		moveCaret: answerCall(moveCaret),
		planChoice: answerCall(planChoice),
		planFill: answerCall(planFill),
		previewClick: answerCall(previewClick),
		readPage: answerCall(readPage),
		readSource: answerCall(readSource),
		releaseClick: answerCall(releaseClick),
		scrollToFrameBox: answerCall(scrollToFrameBox),
		searchPage: answerCall(searchPage),
		setField: answerCall(setField),
		showText: answerCall(showText),
		startDiff: answerCall(startDiff),
		startTyping: answerCall(startTyping),
		startTexts: answerCall(startTexts),
		stopDiff: answerCall(stopDiff),
		stopTracking: answerCall(stopTracking),
		takeSnapshot: answerCall(takeSnapshot),
		trackTexts: answerCall(trackTexts),
		waitForFrame: answerCall(waitForFrame),
		waitForMutation: answerCall(waitForMutation),
		waitUntil: answerCall(waitUntil)
	};
	var goalpost = {
		...answered,
		from: (refs, frames) => {
			continueNumbers(refs, frames);
			return answered;
		},
		addListening,
		adoptRoot,
		registerForeignFrame,
		openField,
		listDocuments,
		listClosedFields,
		endFindText,
		findElement
	};
	var scope = globalThis;
	scope.goalpost ??= goalpost;
})();
