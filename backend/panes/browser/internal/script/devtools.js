// Built from frontend/injected/devtools.ts by "make injected": do not edit.
(function() {
	// injected/devtools.ts
	var globals = globalThis;
	var send = globals.goalpostDevTools;
	delete globals.goalpostDevTools;
	if (send && window === window.top && location.origin === "devtools://devtools") {
		let open = null;
		class DevToolsSocket {
			onopen = null;
			onmessage = null;
			onclose = null;
			onerror = null;
			readyState = 0;
			constructor() {
				connect(this);
				setTimeout(() => {
					this.readyState = 1;
					this.onopen?.(new Event("open"));
				});
			}
			send(message) {
				send?.(message);
			}
			close() {
				this.readyState = 3;
				this.onclose?.(new CloseEvent("close"));
			}
		}
		const { port1, port2 } = new MessageChannel();
		port2.onmessage = (e) => open?.onmessage?.(new MessageEvent("message", { data: e.data }));
		const connect = (socket) => {
			open = socket;
		};
		globals.WebSocket = DevToolsSocket;
		globals.goalpostDevToolsReceive = (messages) => {
			for (const data of messages) port1.postMessage(data);
		};
	}
})();
