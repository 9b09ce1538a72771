import { useEffect, useLayoutEffect, useRef, useState, type ComponentType } from "react";
import type { Settings } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { hasOpenDialog } from "@/ui/opendialogs";
import { About } from "./about";
import { ColorSchemes } from "./colorschemes";
import { Devices } from "./devices";
import { Engines } from "./engines";
import { FileProblems } from "./fileproblems";
import { Library } from "./library";
import { Keyboard } from "./keyboard";
import { PageList } from "./list";
import { MCPServers } from "./mcpservers";
import { Memory } from "./memory";
import { ModelRoles } from "./modelroles";
import { OptionRow } from "./optionrow";
import type { OwnSection, Page } from "./pages";
import { firstPlace, placeWithTitle } from "./places";
import { TerminalProfiles } from "./profiles";
import { Providers } from "./providers";
import { Group, type SectionProps } from "./rows";
import { SearchEngine } from "./searchengine";
import { Secrets } from "./secrets";
import { Spend } from "./spend";
import { Webhooks } from "./webhooks";
import { WebSearch } from "./websearch";

/** All settings, one page at a time. Changes take effect immediately. */
export function SettingsPage() {
  const app = useApp();
  const settings = useAppState((s) => s.settings);
  const at = useAppState((s) => s.settingsAt.title);
  const [query, setQuery] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const page = (placeWithTitle(at) ?? placeWithTitle(firstPlace))?.page;
  useKeys(search, () => (query ? setQuery("") : app.go("workspace")));
  if (!settings || !page) return null;
  return (
    <div className="flex h-full flex-col" data-testid="settings">
      <header className="flex h-12 shrink-0 items-center border-b border-border bg-surface px-4">
        <span className="text-base font-semibold">Settings</span>
        <span className="flex-1" />
        <Button look="quiet" data-testid="settings-file" onClick={() => void app.panes.openSettingsFile()}>
          Open settings.json
        </Button>
        <Button look="quiet" data-testid="settings-close" onClick={() => app.go("workspace")}>
          Close <Kbd>Esc</Kbd>
        </Button>
      </header>
      <div className="flex min-h-0 flex-1 max-[800px]:flex-col">
        <PageList page={page} query={query} search={search} onQuery={setQuery} />
        <ShownPage key={page.title} page={page} settings={settings} />
      </div>
    </div>
  );
}

/** `/` searches, and Esc closes, unless a field or a dialog has the focus. */
function useKeys(search: { readonly current: HTMLInputElement | null }, close: () => void) {
  const latest = useRef(close);
  useLayoutEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      const field = e.target instanceof Element ? e.target.closest("input, textarea, select, [role=menu]") : null;
      if (e.defaultPrevented || hasOpenDialog() || (field && field !== search.current)) return;
      if (e.code === "Escape") latest.current();
      if (e.key !== "/" || field) return;
      e.preventDefault();
      search.current?.focus();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [search]);
}

function ShownPage({ page, settings }: { page: Page; settings: Settings }) {
  const app = useApp();
  const content = useShownPlace();
  const props: SectionProps = {
    settings,
    save: (part) => app.settings.save(part),
    saveRow: (part) => app.settings.save(part, { silent: true }),
  };
  return (
    <main ref={content} className="min-h-0 flex-1 overflow-y-auto" data-testid="settings-content">
      <div className="mx-auto max-w-[860px] px-6 py-6 max-[640px]:px-3">
        <FileProblems />
        <h1 className="text-lg font-semibold">{page.title}</h1>
        <p className="mb-5 text-xs text-text-faint">{page.text}</p>
        {page.sections.map(({ title, own, rows }) => {
          const shown = rows.filter((row) => row.kind !== "own");
          const Own = own ? components[own] : null;
          const group = (
            <Group title={title}>
              {shown.map((row) => (
                <OptionRow key={row.title} row={row} {...props} />
              ))}
              {Own && shown.length > 0 ? <Own {...props} /> : null}
            </Group>
          );
          if (shown.length > 0) return <div key={title}>{group}</div>;
          return Own ? <Own key={title} {...props} /> : null;
        })}
      </div>
    </main>
  );
}

/** Below the rows of their section, or, if it has none, in its place. */
const components: Record<OwnSection, ComponentType<SectionProps>> = {
  browser: SearchEngine,
  colorSchemes: ColorSchemes,
  terminalProfiles: TerminalProfiles,
  webSearch: WebSearch,
  providers: Providers,
  modelRoles: ModelRoles,
  engines: Engines,
  library: Library,
  memory: Memory,
  spend: Spend,
  mcpServers: MCPServers,
  webhooks: Webhooks,
  devices: Devices,
  secrets: Secrets,
  keyboard: Keyboard,
  about: About,
};

/** Scrolls to the section or row that was asked for, focuses its first control and marks it until the user goes on. */
function useShownPlace() {
  const app = useApp();
  const at = useAppState((s) => s.settingsAt);
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    const place = placeWithTitle(at.title);
    if (!at.isNew || !place) return;
    const places = content.current?.querySelectorAll<HTMLElement>("h2, [data-setting]") ?? [];
    const find = (title: string) => [...places].find((e) => (e.dataset.setting ?? e.textContent) === title);
    for (const other of places) delete other.dataset.marked;
    app.set({ settingsAt: { ...at, isNew: false } });
    // A row that this computer does not need is not there: its section or page is.
    const found = find(at.title) ?? find(place.section);
    if (!found) return;
    found.dataset.marked = "";
    found.scrollIntoView({ block: "center" });
    const main = found.querySelector<HTMLElement>("[data-main]");
    (main ?? found.querySelector<HTMLElement>("input, select, button"))?.focus({ preventScroll: true });
    const unmark = () => delete found.dataset.marked;
    // Captured, or the key that led here would end it as it bubbles.
    addEventListener("keydown", unmark, { once: true, capture: true });
    addEventListener("pointerdown", unmark, { once: true, capture: true });
  }, [app, at]);
  return content;
}
