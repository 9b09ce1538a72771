// Built from frontend/injected/permissions.ts by "make injected": do not edit.
(function() {
	// injected/permissions.ts
	var last = 0;
	async function askUser(name) {
		try {
			const { state } = await navigator.permissions.query({ name });
			if (state !== "prompt") return;
		} catch {
			return;
		}
		const id = String(++last);
		await new Promise((resolve) => {
			const onAnswer = (e) => {
				if (e.detail !== id) return;
				removeEventListener("goalpost-said", onAnswer);
				resolve();
			};
			addEventListener("goalpost-said", onAnswer);
			dispatchEvent(new CustomEvent("goalpost-ask", { detail: `${name} ${id}` }));
		});
	}
	function replaceMethod(owner, name, wrap) {
		const methods = owner;
		const original = methods?.[name];
		if (methods && typeof original === "function") methods[name] = wrap(original)[name];
	}
	function askBefore(owner, name, listPermissions) {
		replaceMethod(owner, name, (original) => ({ async [name](...args) {
			for (const permission of listPermissions(...args)) await askUser(permission);
			return original.apply(this, args);
		} }));
	}
	function callBefore(owner, name, before) {
		replaceMethod(owner, name, (original) => ({ [name](...args) {
			before(...args);
			return original.apply(this, args);
		} }));
	}
	var reportWritten = (text) => dispatchEvent(new CustomEvent("goalpost-wrote", { detail: String(text) }));
	function reportItems(items) {
		[...items ?? []].find((i) => i?.types?.includes("text/plain"))?.getType?.("text/plain").then((blob) => blob.text()).then(reportWritten, () => void 0);
	}
	function listMedia(constraints) {
		const { audio, video } = constraints ?? {};
		return [...audio ? ["microphone"] : [], ...video ? ["camera"] : []];
	}
	var page = globalThis;
	askBefore(page.Notification, "requestPermission", () => ["notifications"]);
	askBefore(page.MediaDevices?.prototype, "getUserMedia", listMedia);
	replaceMethod(page.MediaDevices?.prototype, "getDisplayMedia", () => ({ getDisplayMedia: () => Promise.reject(new DOMException("Permission denied", "NotAllowedError")) }));
	askBefore(page.Clipboard?.prototype, "readText", () => ["clipboard-read"]);
	askBefore(page.Clipboard?.prototype, "read", () => ["clipboard-read"]);
	callBefore(page.Clipboard?.prototype, "writeText", reportWritten);
	callBefore(page.Clipboard?.prototype, "write", reportItems);
	replaceMethod(page.Geolocation?.prototype, "getCurrentPosition", (original) => ({ getCurrentPosition(...args) {
		askUser("geolocation").then(() => original.apply(this, args));
	} }));
})();
