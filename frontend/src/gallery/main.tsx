import "@/ui/global.css";
import "@/ui/fonts.css";
import { createRoot } from "react-dom/client";
import { CallError } from "@/bridge/problem";
import { FakeBridge, livelyId, type FakeOptions } from "@/bridge/fake/bridge";
import { terminalPane, browserPane } from "@/bridge/fake/fixtures";
import { DatabaseProblem } from "@/shell/databaseproblem";
import { toasts } from "@/shell/toasts";
import { Window } from "@/shell/window";
import { App } from "@/store/app";
import { scenes } from "./scenes";

/**
 * Every state of every screen on the fake bridge: `gallery.html?scene=goals&theme=light`.
 * Without a scene it lists them. `live=1` plays the running goal in real time.
 * `data-scene` at the root is set once the scene no longer changes.
 */
const params = new URLSearchParams(location.search);
const name = params.get("scene") ?? "";
const theme = params.get("theme") === "light" ? "light" : "dark";
document.documentElement.dataset.theme = theme;

function Index() {
  return (
    <div className="h-full overflow-auto p-8">
      <h1 className="mb-4 text-base font-semibold">Gallery</h1>
      <ul className="grid max-w-2xl grid-cols-[1fr_auto_auto_auto] gap-x-6 gap-y-1">
        {Object.keys(scenes).map((s) => (
          <li key={s} className="contents">
            <span>{s}</span>
            <a className="text-accent" href={`?scene=${s}&theme=dark`}>
              dark
            </a>
            <a className="text-accent" href={`?scene=${s}&theme=light`}>
              light
            </a>
            <a className="text-accent" href={`?scene=${s}&theme=${theme}&live=1`}>
              live
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

async function show(host: HTMLElement) {
  const scene = scenes[name];
  const root = createRoot(host);
  if (!scene) {
    root.render(<Index />);
    return;
  }
  localStorage.clear();
  const options: FakeOptions = { ...scene.options, ...(params.has("live") ? { speed: 1 } : {}) };
  const bridge = new FakeBridge(options);
  bridge.settings.theme = theme;
  scene.before?.(bridge);
  const app = new App(bridge, toasts);
  await app.start();
  root.render(
    scene.repair ? (
      <DatabaseProblem problem={await bridge.call("DatabaseAPI.Problem")} call={bridge.call} />
    ) : (
      <Window app={app} />
    ),
  );
  app.sync.select(livelyId);
  Object.assign(window, { gallery: { app, bridge, CallError, terminalPane, browserPane, still: stopAnimations } });
  await scene.after?.(app, bridge);
  await document.fonts.ready;
  await stopAnimations();
  document.documentElement.dataset.scene = name;
}

/** Waits for some frames without a change of the page, once the code of its place is there. */
async function stopAnimations() {
  let calm = 0;
  const watch = new MutationObserver(() => (calm = 0));
  watch.observe(document.body, { subtree: true, childList: true, attributes: true });
  while (calm < 4) {
    calm = document.querySelector("[data-loading]") ? 0 : calm + 1;
    await new Promise((next) => requestAnimationFrame(next));
  }
  watch.disconnect();
}

const host = document.getElementById("root");
if (host) void show(host);
