import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Problem, Settings } from "@/bridge/types";
import { noSearch, searchEngines } from "@/lib/searchengines";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { ColorSchemes } from "./colorschemes";
import { settingsPlaces } from "./places";
import { Engines } from "./engines";
import { Library } from "./library";
import { MCPServers } from "./mcpservers";
import { Memory } from "./memory";
import { Choice, NumberRow, Row, SwitchRow, TextRow } from "./rows";
import { ModelRoles } from "./modelroles";
import { Providers } from "./providers";
import { TerminalProfiles } from "./profiles";
import { Secrets } from "./secrets";
import { Spend } from "./spend";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { Select } from "@/ui/input";

interface SectionProps {
  settings: Settings;
  /** Saves a setting, and returns the problem if it was refused. */
  save: (part: Partial<Settings>) => Promise<Problem | null>;
  /** The same for a row that shows the problem itself. */
  saveRow: (part: Partial<Settings>) => Promise<Problem | null>;
}

/** All settings. Changes take effect immediately. */
export function SettingsPage() {
  const app = useApp();
  const settings = useAppState((s) => s.settings);
  const content = useShownPlace();
  if (!settings) return null;
  const save = (part: Partial<Settings>) => app.settings.save(part);
  const saveRow = (part: Partial<Settings>) => app.settings.save(part, { silent: true });
  return (
    <div className="flex h-full flex-col" data-testid="settings">
      <header className="flex h-12 shrink-0 items-center border-b border-border bg-surface px-4">
        <h1 className="text-base font-semibold">Settings</h1>
        <span className="flex-1" />
        <Button look="quiet" data-testid="settings-close" onClick={() => app.go("workspace")}>
          Close
        </Button>
      </header>
      <main ref={content} className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-[720px] px-6 py-6">
          <Appearance settings={settings} save={save} saveRow={saveRow} />
          <TerminalProfiles />
          <Pages settings={settings} save={save} saveRow={saveRow} />
          <WebSearch settings={settings} save={save} saveRow={saveRow} />
          <Goals settings={settings} save={save} saveRow={saveRow} />
          <Providers />
          <ModelRoles settings={settings} save={save} />
          <Engines />
          <Library />
          <Memory />
          <Spend settings={settings} save={save} />
          <MCPServers />
          <Secrets />
          <Updates settings={settings} save={save} saveRow={saveRow} />
          <About />
        </div>
      </main>
    </div>
  );
}

/** Scrolls to the section or row that was asked for, focuses its first control and marks it until the user goes on. */
function useShownPlace() {
  const app = useApp();
  const at = useAppState((s) => s.settingsAt);
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    const places = content.current?.querySelectorAll<HTMLElement>("h2, [data-setting]") ?? [];
    const find = (title: string) => [...places].find((e) => (e.dataset.setting ?? e.textContent) === title);
    // A row that this computer does not need is not there: its section is.
    const found = find(at) ?? find(settingsPlaces.find((p) => p.title === at)?.section ?? "");
    if (!at || !found) return;
    app.set({ settingsAt: "" });
    for (const other of places) delete other.dataset.marked;
    found.dataset.marked = "";
    found.scrollIntoView({ block: "center" });
    found.querySelector<HTMLElement>("input, select, button")?.focus({ preventScroll: true });
    const unmark = () => delete found.dataset.marked;
    addEventListener("keydown", unmark, { once: true });
    addEventListener("pointerdown", unmark, { once: true });
  }, [app, at]);
  return content;
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Caption as="h2" className="mb-2">
        {title}
      </Caption>
      <div className="mb-7 rounded-lg border border-border bg-surface">{children}</div>
    </>
  );
}

function Appearance({ settings, save, saveRow }: SectionProps) {
  return (
    <Section title="Appearance">
      <Row title="Theme" text="Colors of the window, and of terminals without their own">
        <Choice
          name="theme"
          value={settings.theme}
          choices={[
            { value: "system", title: "System" },
            { value: "dark", title: "Dark" },
            { value: "light", title: "Light" },
          ]}
          onChange={(theme) => void save({ theme })}
        />
      </Row>
      <NumberRow
        title="Terminal font size"
        text="Font size in pixels (8–32)"
        testid="font-size"
        value={settings.font_size}
        min={8}
        max={32}
        onSave={(font_size) => void save({ font_size })}
      />
      <NumberRow
        title="Scrollback"
        text="Lines that a terminal stores (100–200,000)"
        testid="scrollback"
        value={settings.scrollback}
        min={100}
        max={200_000}
        onSave={(scrollback) => void save({ scrollback })}
      />
      <TextRow
        title="Terminal font"
        text="Font family (first installed is used). Leave empty for JetBrains Mono"
        testid="font-family"
        value={settings.font_family}
        onSave={(font_family) => saveRow({ font_family })}
      />
      <Row title="Cursor" text="Shape in terminals, unless a program chooses another one">
        <Choice
          name="cursor-style"
          value={settings.cursor_style}
          choices={[
            { value: "", title: "Block" },
            { value: "bar", title: "Bar" },
            { value: "underline", title: "Underline" },
          ]}
          onChange={(cursor_style) => void save({ cursor_style })}
        />
      </Row>
      <ColorSchemes settings={settings} save={save} />
      <TextRow
        title="Shell"
        text="Program of new terminals, for example /usr/bin/fish. Leave empty for the shell of your account."
        testid="shell"
        value={settings.shell}
        onSave={(shell) => saveRow({ shell })}
      />
      <SwitchRow
        title="GPU rendering"
        text="Draw terminals with WebGL; falls back automatically"
        testid="webgl"
        on={settings.webgl}
        onChange={(webgl) => void save({ webgl })}
      />
      <SwitchRow
        title="Screen reader"
        text="Announce terminal output to screen readers"
        testid="screen-reader"
        on={settings.screen_reader}
        onChange={(screen_reader) => void save({ screen_reader })}
      />
    </Section>
  );
}

function Pages({ settings, save, saveRow }: SectionProps) {
  const page = settings.search_page;
  const known = page === "" || page === noSearch || searchEngines.some((e) => e.address === page);
  const [custom, setCustom] = useState(!known);
  return (
    <Section title="Pages">
      <TextRow
        title="Home page"
        text="Opened by the Home button and Alt+Home. Leave empty for a blank page."
        testid="home-page"
        value={settings.home_page}
        onSave={(home_page) => saveRow({ home_page })}
      />
      <Row
        title="Search engine"
        text="Words that you enter in the address bar go to it. Addresses do not, and nothing is sent while you type."
      >
        <Select
          className="w-56"
          data-testid="search-engine"
          aria-label="Search engine"
          value={custom ? "custom" : page}
          onChange={(e) => {
            setCustom(e.target.value === "custom");
            if (e.target.value !== "custom") void save({ search_page: e.target.value });
          }}
        >
          <option value="">Ask before the first search</option>
          <option value={noSearch}>None</option>
          {searchEngines.map((e) => (
            <option key={e.address} value={e.address}>
              {e.name}
            </option>
          ))}
          <option value="custom">Another one…</option>
        </Select>
      </Row>
      {custom ? (
        <TextRow
          title="Address of the search engine"
          text="Search engine URL (%s = your query), for example https://example.org/?q=%s."
          testid="search-page"
          value={known ? "" : page}
          onSave={(search_page) => saveRow({ search_page })}
        />
      ) : null}
      <NumberRow
        title="Put unseen pages to sleep"
        text={
          "Minutes after which a page that nobody looks at gives its memory back, until you show it again (0 = never). " +
          "Not one that plays, in which you entered something, that downloads, or that a goal uses."
        }
        testid="page-idle-minutes"
        value={settings.page_idle_minutes}
        min={0}
        max={1440}
        onSave={(page_idle_minutes) => void save({ page_idle_minutes })}
      />
    </Section>
  );
}

/** The search engine for goals. The tool is offered once the required fields are set. */
function WebSearch({ settings, save, saveRow }: SectionProps) {
  const engine = settings.web_search;
  return (
    <Section title="Web search for goals">
      <Row title="Search engine" text="Lets agents search the web. Each query is sent to this server.">
        <Choice
          name="web-search"
          value={engine}
          choices={[
            { value: "", title: "Off" },
            { value: "searxng", title: "SearXNG" },
            { value: "brave", title: "Brave" },
            { value: "tavily", title: "Tavily" },
          ]}
          onChange={(web_search) => void save({ web_search })}
        />
      </Row>
      {engine === "" ? null : (
        <TextRow
          title="Server address"
          text={
            engine === "searxng"
              ? "Required, for example http://127.0.0.1:8888. The server must allow JSON results."
              : "Leave empty for the provider's own address"
          }
          testid="web-search-address"
          value={settings.web_search_address}
          onSave={(web_search_address) => saveRow({ web_search_address })}
        />
      )}
      {engine === "" ? null : (
        <TextRow
          title="API key"
          text={
            engine === "searxng"
              ? "Name of a stored secret, if your server asks for a key"
              : "Required: the name of the stored secret that contains the key"
          }
          testid="web-search-secret"
          value={settings.web_search_secret}
          onSave={(web_search_secret) => saveRow({ web_search_secret })}
        />
      )}
    </Section>
  );
}

function Goals({ settings, save, saveRow }: SectionProps) {
  return (
    <Section title="Goals">
      <NumberRow
        title="Approval timeout"
        text="Minutes before an unanswered approval pauses the goal (0 = immediately)"
        testid="approval-minutes"
        value={settings.approval_minutes}
        min={0}
        max={1440}
        onSave={(approval_minutes) => void save({ approval_minutes })}
      />
      <NumberRow
        title="Model silence"
        text="Minutes without a word before a model is asked again (0 = default: 5 before a reply, 2 within it)"
        testid="silence-minutes"
        value={settings.silence_minutes}
        min={0}
        max={1440}
        onSave={(silence_minutes) => void save({ silence_minutes })}
      />
      <NumberRow
        title="Give up waiting for a model"
        text="Hours for which a goal waits for a model that does not answer before it asks you (0 = until it answers)"
        testid="model-wait-hours"
        value={settings.model_wait_hours}
        min={0}
        max={720}
        onSave={(model_wait_hours) => void save({ model_wait_hours })}
      />
      <NumberRow
        title="Tools in a chat"
        text="Rounds of tool calls that an answer may make before you write again (0 = default, 20)"
        testid="chat-rounds"
        value={settings.chat_rounds}
        min={0}
        max={1000}
        onSave={(chat_rounds) => void save({ chat_rounds })}
      />
      <NumberRow
        title="Concurrent goals"
        text="How many goals run at the same time (0 = default, 3). Takes effect after a restart."
        testid="goals-at-once"
        value={settings.goals_at_once}
        min={0}
        max={32}
        onSave={(goals_at_once) => void save({ goals_at_once })}
      />
      <NumberRow
        title="Delete ended goals"
        text="Days after which ended goals are deleted at startup (0 = never)"
        testid="keep-days"
        value={settings.keep_days}
        min={0}
        max={36_500}
        onSave={(keep_days) => void save({ keep_days })}
      />
      <NumberRow
        title="Keep programs running after completion"
        text={
          "Minutes that a finished goal's programs keep running, so that you can try the result (0 " +
          "= stop immediately)"
        }
        testid="grace-minutes"
        value={settings.grace_minutes}
        min={0}
        max={1440}
        onSave={(grace_minutes) => void save({ grace_minutes })}
      />
      <NumberRow
        title="Memory limit per goal"
        text={
          "MiB for all programs of a goal; above it, the largest are stopped (0 = three quarters of " +
          "this machine's memory). Applies to new goals."
        }
        testid="goal-memory"
        value={settings.goal_memory}
        min={0}
        max={16_777_216}
        onSave={(goal_memory) => void save({ goal_memory })}
      />
      <TextRow
        title="Extra tool folders"
        text={
          "Read-only toolchain folders, colon-separated, for example /home/you/.zig. Standard ones " +
          "are included. Applies to new goals."
        }
        testid="toolchains"
        value={settings.toolchains}
        onSave={(toolchains) => saveRow({ toolchains })}
      />
      <TextRow
        title="Folder for new goals"
        text="Each new goal gets a folder in it. Leave empty for the default location."
        testid="work-dir"
        value={settings.work_dir}
        onSave={(work_dir) => saveRow({ work_dir })}
      />
      <SwitchRow
        title="Keep everything running when the window closes"
        text="Goals, terminals and pages; turned off, the window asks"
        testid="keep-running"
        on={settings.keep_running}
        onChange={(keep_running) => void save({ keep_running })}
      />
      <NumberRow
        title="End the host process when idle"
        text="Minutes with nothing running and no window open (0 = keep it until it is stopped)"
        testid="host-idle-minutes"
        value={settings.host_idle_minutes}
        min={0}
        max={1440}
        onSave={(host_idle_minutes) => void save({ host_idle_minutes })}
      />
      <SwitchRow
        title="Show desktop notifications"
        text="When a goal needs you or finishes"
        testid="notifications"
        on={settings.notifications}
        onChange={(notifications) => void save({ notifications })}
      />
    </Section>
  );
}

function Updates({ settings, saveRow }: SectionProps) {
  return (
    <Section title="Updates">
      <TextRow
        title="Release feed"
        text={
          "HTTPS address to check for a new version at each start (releases/latest of GitHub or Forgejo). " +
          "Leave empty for no check."
        }
        testid="update-feed"
        value={settings.update_feed}
        onSave={(update_feed) => saveRow({ update_feed })}
      />
    </Section>
  );
}

function About() {
  const { connection, window } = useApp().bridge;
  return (
    <>
      <Caption as="h2" className="mt-7 mb-2">
        About
      </Caption>
      <dl
        className={cx(
          "selectable grid grid-cols-[120px_1fr] gap-y-1 rounded-lg border border-border bg-surface",
          "px-4 py-3 text-xs",
        )}
      >
        <dt className="text-text-faint">Version</dt>
        <dd>{connection.version || "unknown"}</dd>
        <dt className="text-text-faint">Data</dt>
        <dd className="font-mono text-2xs leading-[18px] break-all">{connection.data_dir}</dd>
        <dt className="text-text-faint">Goal folders</dt>
        <dd className="font-mono text-2xs leading-[18px] break-all">{connection.work_dir}</dd>
        <dt className="text-text-faint">Window</dt>
        <dd>{window ? "desktop window" : "web browser"}</dd>
      </dl>
    </>
  );
}
