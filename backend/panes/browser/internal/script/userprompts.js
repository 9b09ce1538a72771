// Built from frontend/injected/userprompts.ts by "make injected": do not edit.
(function() {
	// injected/userprompts/report.ts
	function report(message) {
		goalpostTell(JSON.stringify(message));
	}
	var truncate = (text, limit) => (text ?? "").slice(0, limit).toWellFormed();
	function listen(type, f) {
		const onEvent = (e) => {
			if (e.isTrusted) f(e);
		};
		addEventListener(type, onEvent, {
			capture: true,
			passive: false
		});
	}
	var targetOf = (e) => e.composedPath()[0];
	var isElement = (n) => n?.nodeType === 1;
	var asked = new Map();
	var last = 0;
	function registerElement(el) {
		asked.set(++last, new WeakRef(el));
		for (const oldest of asked.keys()) {
			if (asked.size <= 50) break;
			asked.delete(oldest);
		}
		return last;
	}
	function registeredElement(n) {
		const el = asked.get(n)?.deref();
		return el?.isConnected ? el : null;
	}
	function offsetInWindow() {
		const offset = {
			x: 0,
			y: 0
		};
		const far = {
			x: 0,
			y: 0,
			far: true
		};
		try {
			for (let view = self; view !== view.parent; view = view.parent) {
				const holder = view.frameElement;
				if (!holder) return far;
				const r = holder.getBoundingClientRect();
				offset.x += r.x + holder.clientLeft;
				offset.y += r.y + holder.clientTop;
			}
		} catch {
			return far;
		}
		return offset;
	}
	function boxInWindow(el) {
		const offset = offsetInWindow();
		const r = el.getBoundingClientRect();
		return {
			...offset,
			x: r.x + offset.x,
			y: r.y + offset.y,
			width: r.width,
			height: r.height
		};
	}
	function notifyChanged(el) {
		el.dispatchEvent(new Event("input", {
			bubbles: true,
			composed: true
		}));
		el.dispatchEvent(new Event("change", { bubbles: true }));
	}
	// injected/userprompts/login.ts
	var isUserName = (f) => /username|email/.test(f.autocomplete);
	function userFieldOf(password) {
		const all = [...(password.form ?? document).querySelectorAll("input")];
		const named = all.find((f) => isUserName(f) && f !== password);
		if (named) return named;
		return all.slice(0, all.indexOf(password)).findLast((f) => /^(text|email|tel|url|)$/.test(f.type) && f.checkVisibility());
	}
	function findPassword(scope) {
		return [...scope.querySelectorAll("input[type=password]")].find((f) => f.checkVisibility());
	}
	function reportSent(scope) {
		const password = findPassword(scope);
		const user = password && userFieldOf(password);
		if (!password?.value || !user?.value) return;
		const login = {
			user: truncate(user.value, 300),
			password: truncate(password.value, 1e3)
		};
		report({
			t: "sent",
			origin: location.origin,
			...login
		});
	}
	function reportLogins() {
		listen("submit", (e) => {
			const form = targetOf(e);
			if (isElement(form)) reportSent(form);
		});
		listen("click", (e) => {
			const target = targetOf(e);
			const pressed = isElement(target) ? target.closest("button, input[type=button], [role=button]") : null;
			if (pressed && !(pressed.form ?? pressed.closest("form"))) reportSent(document);
		});
		listen("keydown", (e) => {
			const target = targetOf(e);
			if (e.key !== "Enter" || !isElement(target) || target.tagName !== "INPUT") return;
			if (!target.form) reportSent(document);
		});
	}
	function fillLogin(origin, user, password) {
		const filled = [];
		if (location.origin !== origin) return filled;
		const fill = (el, value, what) => {
			if (!el || el.disabled || el.readOnly) return;
			el.focus();
			el.value = value;
			notifyChanged(el);
			filled.push(what);
		};
		const secret = findPassword(document);
		const findAlone = () => [...document.querySelectorAll("input")].find((f) => isUserName(f) && f.checkVisibility());
		fill(secret ? userFieldOf(secret) : findAlone(), user, "user");
		if (location.origin === origin && secret?.type === "password") fill(secret, password, "password");
		return filled;
	}
	// injected/userprompts/picture.ts
	var MAX_PIXELS = 5e7;
	var chosen;
	function choosePicture(image) {
		chosen = image ? new WeakRef(image) : void 0;
	}
	function drawn(image, width, height) {
		if (width * height > MAX_PIXELS) return { problem: "large" };
		const canvas = document.createElement("canvas");
		[canvas.width, canvas.height] = [width, height];
		canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
		const png = canvas.toDataURL("image/png").split(",")[1];
		return png ? { png } : { problem: "large" };
	}
	function drawnImage(image) {
		return drawn(image, image.naturalWidth || image.width, image.naturalHeight || image.height);
	}
	function copyPicture() {
		const image = chosen?.deref();
		if (!image?.isConnected || !image.complete || !(image.naturalWidth || image.width)) return { problem: "gone" };
		try {
			return drawnImage(image);
		} catch {
			return { address: image.currentSrc || image.src };
		}
	}
	async function decodePicture(data) {
		try {
			const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
			return drawn(image, image.width, image.height);
		} catch {
			const image = new Image();
			image.src = `data:image/svg+xml;base64,${data}`;
			await image.decode();
			return drawnImage(image);
		}
	}
	// injected/userprompts/menu.ts
	var MAX_COPIED = 1 << 20;
	function selectedText() {
		const active = document.activeElement;
		if (active?.tagName === "TEXTAREA" || active?.tagName === "INPUT" && active.type !== "password") {
			const { selectionStart, selectionEnd, value } = active;
			if (selectionStart !== selectionEnd) return value.slice(selectionStart ?? 0, selectionEnd ?? 0);
		}
		return getSelection()?.toString() ?? "";
	}
	var isLink = (el) => (el.tagName === "A" || el.tagName === "AREA") && Boolean(el.href);
	function isEditable(el) {
		if (el.isContentEditable) return true;
		return el.matches("textarea, input") && !el.readOnly && !el.matches(":disabled");
	}
	function describeMenu(path) {
		const link = path.find(isLink);
		const [el] = path;
		const image = el?.tagName === "IMG" ? el : null;
		choosePicture(image);
		return {
			link: truncate(link?.href, 4e3),
			image: truncate(image ? image.currentSrc || image.src : "", 4e3),
			selected: truncate(selectedText(), 1e5),
			editable: el !== void 0 && isEditable(el)
		};
	}
	function reportMenu() {
		listen("contextmenu", (e) => {
			const { x, y, far } = offsetInWindow();
			const menu = {
				t: "menu",
				far,
				x: e.clientX + x,
				y: e.clientY + y,
				...describeMenu(e.composedPath().filter(isElement))
			};
			setTimeout(() => {
				if (!e.defaultPrevented) report(menu);
			});
		});
	}
	var reportText = (text) => report({
		t: "copied",
		text: truncate(text, MAX_COPIED)
	});
	function onCopy(e) {
		if (!e.isTrusted) return;
		const text = e.defaultPrevented ? e.clipboardData?.getData("text/plain") : selectedText();
		if (text) reportText(text);
	}
	function reportCopies() {
		addEventListener("copy", onCopy);
		addEventListener("cut", onCopy);
		addEventListener("goalpost-wrote", (e) => {
			const { detail } = e;
			if (isUserActive() && typeof detail === "string" && detail) reportText(detail);
		});
	}
	var isUserActive = () => navigator.userActivation?.isActive === true;
	// injected/userprompts/permission.ts
	function reportPermissions() {
		addEventListener("goalpost-ask", (e) => {
			const [name, id] = String(e.detail).split(" ");
			report({
				t: "permission",
				type: truncate(name, 40),
				text: truncate(id, 20),
				origin: location.origin
			});
		});
	}
	function answerPermission(id) {
		dispatchEvent(new CustomEvent("goalpost-said", { detail: id }));
		return true;
	}
	// injected/userprompts/edits.ts
	var reported = false;
	function noteEdit() {
		if (reported) return;
		reported = true;
		report({ t: "edited" });
	}
	function reportEdits() {
		listen("input", noteEdit);
	}
	// injected/userprompts/pickers.ts
	var PICKER_TYPES = new Set([
		"date",
		"time",
		"month",
		"week",
		"datetime-local",
		"color"
	]);
	var MAX_OPTIONS = 1e3;
	var MAX_SUGGESTIONS = 100;
	var groupOf = (o) => o.parentElement?.tagName === "OPTGROUP" ? o.parentElement : null;
	function listChoices(el) {
		return [...el.options].slice(0, MAX_OPTIONS).map((o) => {
			const group = groupOf(o);
			return {
				label: truncate(o.label || o.text, 200),
				group: truncate(group?.label, 100),
				disabled: o.disabled || group?.disabled === true,
				selected: o.selected
			};
		});
	}
	function openList(el) {
		const box = boxInWindow(el);
		report({
			t: "choose",
			n: registerElement(el),
			...box,
			options: listChoices(el)
		});
	}
	function openPicker(el) {
		const box = boxInWindow(el);
		const range = {
			min: truncate(el.min, 40),
			max: truncate(el.max, 40)
		};
		report({
			t: "pick",
			n: registerElement(el),
			...box,
			type: el.type,
			value: truncate(el.value, 40),
			...range
		});
	}
	function isDropDown(n) {
		if (!isElement(n) || n.tagName !== "SELECT") return false;
		const el = n;
		return !el.multiple && el.size <= 1 && !el.matches(":disabled");
	}
	var isWritableInput = (n) => isElement(n) && n.tagName === "INPUT" && !n.matches(":disabled") && !n.readOnly;
	var isPicker = (n) => isWritableInput(n) && PICKER_TYPES.has(n.type);
	var hasSuggestions = (n) => isWritableInput(n) && n.list !== null;
	function listSuggestions(el) {
		const typed = el.value.toLowerCase();
		const matches = (o) => !o.disabled && o.value !== "" && o.value !== el.value && (o.value.toLowerCase().includes(typed) || o.label.toLowerCase().includes(typed));
		return [...el.list?.options ?? []].filter(matches).slice(0, MAX_SUGGESTIONS).map((o) => ({
			label: truncate(o.value, 200),
			group: truncate(o.label === o.value ? "" : o.label, 100),
			disabled: false,
			selected: false
		}));
	}
	var suggesting = false;
	function suggest(el) {
		const box = boxInWindow(el);
		const options = listSuggestions(el);
		if (options.length === 0) {
			endSuggestions();
			return;
		}
		suggesting = true;
		report({
			t: "suggest",
			n: registerElement(el),
			...box,
			options
		});
	}
	function endSuggestions() {
		if (suggesting) report({ t: "calm" });
		suggesting = false;
	}
	function selectOf(n) {
		return isElement(n) && n.tagName === "OPTION" ? n.closest("select") : n;
	}
	function opensWith(e) {
		return e.key === " " || e.key === "F4" || e.altKey && (e.key === "ArrowDown" || e.key === "ArrowUp");
	}
	function reportPickers() {
		listen("mousedown", (e) => {
			const el = selectOf(targetOf(e));
			if (e.button !== 0 || !isDropDown(el)) return;
			openList(el);
			e.preventDefault();
			el.focus();
		});
		listen("click", (e) => {
			const el = targetOf(e);
			if (isPicker(el)) {
				openPicker(el);
				e.preventDefault();
			} else if (hasSuggestions(el)) suggest(el);
		});
		listen("keydown", (e) => {
			const el = targetOf(e);
			const opens = opensWith(e);
			if (isDropDown(el) && (opens || e.key === "Enter")) openList(el);
			else if (isPicker(el) && (opens || el.type === "color" && e.key === "Enter")) openPicker(el);
			else return;
			e.preventDefault();
		});
		listen("input", (e) => {
			const el = targetOf(e);
			if (hasSuggestions(el)) suggest(el);
		});
		listen("focusout", endSuggestions);
	}
	function chooseOption(n, index) {
		const el = registeredElement(n);
		const option = el?.options[index];
		if (!el || !option || option.disabled) return false;
		el.focus();
		if (el.selectedIndex !== index) {
			el.selectedIndex = index;
			notifyChanged(el);
			noteEdit();
		}
		return true;
	}
	function setValue(n, value) {
		const el = registeredElement(n);
		if (!el) return false;
		el.focus();
		el.value = value;
		notifyChanged(el);
		noteEdit();
		return el.value.toLowerCase() === value.toLowerCase();
	}
	// injected/userprompts/cursor.ts
	var TEXT_FIELD = "textarea, input:not([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio], [type=range], [type=color], [type=file], [type=image])";
	function isOverText(el, x, y) {
		const caret = document.caretPositionFromPoint?.(x, y);
		if (caret?.offsetNode.nodeType !== 3 || getComputedStyle(el).userSelect === "none") return false;
		const range = document.createRange();
		range.selectNodeContents(caret.offsetNode);
		return [...range.getClientRects()].some((r) => x >= r.left && x <= r.right && y >= r.top && y <= r.bottom);
	}
	function cursorAt(n, x, y) {
		if (!isElement(n)) return "default";
		const shape = getComputedStyle(n).cursor.split(",").pop()?.trim() ?? "auto";
		if (shape !== "auto") return shape;
		if (n.matches(TEXT_FIELD) || n.isContentEditable) return "text";
		return isOverText(n, x, y) ? "text" : "default";
	}
	function reportCursor() {
		let reported = "";
		listen("mousemove", (e) => {
			const now = cursorAt(targetOf(e), e.clientX, e.clientY);
			if (now === reported && self === top) return;
			reported = now;
			report({
				t: "cursor",
				text: now
			});
		});
	}
	// injected/userprompts/fullscreen.ts
	function reportFullscreen() {
		addEventListener("fullscreenchange", () => report({ t: document.fullscreenElement ? "filling" : "framed" }), true);
	}
	// injected/userprompts/icon.ts
	var SIDE = 32;
	var REST = 1e3;
	function iconAddress() {
		const named = [...document.querySelectorAll("link[rel~=icon][href]")].findLast((l) => /^(https?|data):/.test(l.href))?.href;
		if (named) return named;
		return /^https?:$/.test(location.protocol) ? new URL("/favicon.ico", location.href).href : "";
	}
	function reportIcon() {
		let reported = "";
		let resting = false;
		const check = () => {
			const now = truncate(iconAddress(), 1e5);
			if (resting || now === reported) return;
			reported = now;
			report({
				t: "icon",
				link: now
			});
			resting = true;
			setTimeout(() => {
				resting = false;
				check();
			}, REST);
		};
		const begin = () => {
			check();
			const head = document.head;
			if (head) new MutationObserver(check).observe(head, {
				subtree: true,
				childList: true,
				attributeFilter: ["href", "rel"]
			});
		};
		if (document.readyState === "complete") begin();
		else addEventListener("load", begin, { once: true });
	}
	function drawIcon(address) {
		const image = new Image();
		image.crossOrigin = "anonymous";
		image.src = address;
		image.decode().then(() => report({
			t: "picture",
			link: address,
			text: pngOf(image)
		}), () => report({
			t: "picture",
			link: address,
			text: ""
		}));
		return true;
	}
	function pngOf(image) {
		const canvas = document.createElement("canvas");
		canvas.width = canvas.height = SIDE;
		const context = canvas.getContext("2d");
		const [w, h] = [image.naturalWidth || SIDE, image.naturalHeight || SIDE];
		const scale = SIDE / Math.max(w, h);
		try {
			context?.drawImage(image, (SIDE - w * scale) / 2, (SIDE - h * scale) / 2, w * scale, h * scale);
			return canvas.toDataURL("image/png");
		} catch {
			return "";
		}
	}
	// injected/userprompts/title.ts
	function reportTitle() {
		let reported = "";
		let waiting = false;
		const check = () => {
			const now = document.title.slice(0, 300);
			if (now === reported || waiting) return;
			reported = now;
			report({
				t: "title",
				text: now
			});
			waiting = true;
			setTimeout(() => {
				waiting = false;
				check();
			}, 200);
		};
		const begin = () => {
			check();
			const head = document.head;
			if (head) new MutationObserver(check).observe(head, {
				subtree: true,
				childList: true,
				characterData: true
			});
		};
		if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
		else begin();
	}
	// injected/userprompts/zoom.ts
	function zoomPage(factor) {
		const apply = () => {
			const root = document.documentElement;
			if (root) root.style.zoom = factor === 1 ? "" : String(factor);
			return root !== null;
		};
		if (apply()) return true;
		const observer = new MutationObserver(() => {
			if (apply()) observer.disconnect();
		});
		observer.observe(document, { childList: true });
		return true;
	}
	// injected/userprompts.ts
	function install() {
		if (self === top) {
			reportTitle();
			reportIcon();
			reportFullscreen();
		}
		reportCursor();
		reportPickers();
		reportMenu();
		reportCopies();
		reportEdits();
		reportLogins();
		reportPermissions();
		return {
			choose: chooseOption,
			set: setValue,
			login: fillLogin,
			said: answerPermission,
			zoom: zoomPage,
			icon: drawIcon,
			picture: copyPicture,
			decode: decodePicture
		};
	}
	var scope = globalThis;
	if (scope.goalpostDocument?.deref() !== document) {
		scope.goalpostDocument = new WeakRef(document);
		scope.goalpostPrompts = install();
	}
})();
