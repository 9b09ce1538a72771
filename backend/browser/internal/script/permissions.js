// Runs in the page's own world. Chromium without a window refuses what it would
// have to ask the user for, so these calls wait until the app has asked; then
// Chromium itself decides, by what the user said. A page that fakes the
// messages gets a question asked and nothing else.
(() => {
  let last = 0;
  const ask = async (name) => {
    try {
      if ((await navigator.permissions.query({ name })).state !== 'prompt') return;
    } catch {
      return;
    }
    const id = String(++last);
    await new Promise((done) => {
      const heard = (e) => {
        if (e.detail !== id) return;
        removeEventListener('goalpost-said', heard);
        done();
      };
      addEventListener('goalpost-said', heard);
      dispatchEvent(new CustomEvent('goalpost-ask', { detail: `${name} ${id}` }));
    });
  };
  const wrap = (owner, method, names) => {
    const own = owner?.[method];
    if (typeof own !== 'function') return;
    owner[method] = {
      async [method](...args) {
        for (const name of names(...args)) await ask(name);
        return own.apply(this, args);
      },
    }[method];
  };
  const now = (owner, method, name) => {
    const own = owner?.[method];
    if (typeof own !== 'function') return;
    owner[method] = {
      [method](...args) {
        ask(name).then(() => own.apply(this, args));
      },
    }[method];
  };
  wrap(globalThis.Notification, 'requestPermission', () => ['notifications']);
  wrap(globalThis.MediaDevices?.prototype, 'getUserMedia', (c) => [...(c?.audio ? ['microphone'] : []), ...(c?.video ? ['camera'] : [])]);
  wrap(globalThis.Clipboard?.prototype, 'readText', () => ['clipboard-read']);
  wrap(globalThis.Clipboard?.prototype, 'read', () => ['clipboard-read']);
  // What a page's own Copy button writes is the user's to paste elsewhere.
  const wrote = (text) => dispatchEvent(new CustomEvent('goalpost-wrote', { detail: String(text) }));
  const writes = (method, told) => {
    const own = globalThis.Clipboard?.prototype?.[method];
    if (typeof own !== 'function') return;
    Clipboard.prototype[method] = {
      [method](...args) {
        told(...args);
        return own.apply(this, args);
      },
    }[method];
  };
  writes('writeText', wrote);
  writes('write', (items) => {
    const plain = [...(items ?? [])].find((item) => item?.types?.includes('text/plain'));
    plain?.getType('text/plain').then((blob) => blob.text()).then(wrote, () => {});
  });
  now(globalThis.Geolocation?.prototype, 'getCurrentPosition', 'geolocation');
})();
