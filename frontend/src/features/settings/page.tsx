import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { MCPServers } from "./mcpservers";
import { Choice, NumberRow, Row, SwitchRow, TextRow } from "./rows";
import { Providers } from "./providers";
import { Secrets } from "./secrets";

/** Everything that can be set. It holds at once. */
export function SettingsPage() {
  const app = useApp();
  const settings = useAppState((s) => s.settings);
  const { connection, window } = app.bridge;
  if (!settings) return null;
  return (
    <div className="flex h-full flex-col" data-testid="settings">
      <header className="flex h-12 shrink-0 items-center border-b border-line bg-s1 px-4">
        <h1 className="text-base font-semibold">Settings</h1>
        <span className="flex-1" />
        <Button look="quiet" data-testid="settings-close" onClick={() => app.go("workspace")}>
          Close
        </Button>
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-[720px] px-6 py-6">
          <h2 className="caption mb-2">Look</h2>
          <div className="mb-7 rounded-lg border border-line bg-s1">
            <Row title="Theme" text="Colours of the window and of the terminals">
              <Choice
                name="theme"
                value={settings.theme}
                choices={[
                  { value: "system", title: "System" },
                  { value: "dark", title: "Dark" },
                  { value: "light", title: "Light" },
                ]}
                onChange={(theme) => void app.saveSettings({ theme })}
              />
            </Row>
            <NumberRow
              title="Terminal text"
              text="Size in pixels, 8 to 32"
              testid="font-size"
              value={settings.font_size}
              min={8}
              max={32}
              onSave={(font_size) => void app.saveSettings({ font_size })}
            />
            <NumberRow
              title="Scrollback"
              text="Lines that a terminal keeps on the screen, 100 to 200,000"
              testid="scrollback"
              value={settings.scrollback}
              min={100}
              max={200_000}
              onSave={(scrollback) => void app.saveSettings({ scrollback })}
            />
            <TextRow
              title="Terminal font"
              text="Installed fonts, the first that is there; empty for JetBrains Mono"
              testid="font-family"
              value={settings.font_family}
              onSave={(font_family) => app.saveSettings({ font_family })}
            />
            <SwitchRow
              title="Draw terminals with WebGL"
              text="Faster with a real graphics card. Where there is none, or it fails, terminals are drawn as before"
              testid="webgl"
              on={settings.webgl}
              onChange={(webgl) => void app.saveSettings({ webgl })}
            />
            <SwitchRow
              title="Screen reader"
              text="Terminals say what they print to assistive programs"
              testid="screen-reader"
              on={settings.screen_reader}
              onChange={(screen_reader) => void app.saveSettings({ screen_reader })}
            />
          </div>
          <h2 className="caption mb-2">Pages</h2>
          <div className="mb-7 rounded-lg border border-line bg-s1">
            <TextRow
              title="Home page"
              text="Where the house of a browser pane and Alt+Home lead; empty for a blank page"
              testid="home-page"
              value={settings.home_page}
              onSave={(home_page) => app.saveSettings({ home_page })}
            />
            <TextRow
              title="Search page"
              text="Where words in the address of a browser pane lead, %s standing for them, such as https://example.org/?q=%s. Empty: nowhere, and nothing that you type is sent"
              testid="search-page"
              value={settings.search_page}
              onSave={(search_page) => app.saveSettings({ search_page })}
            />
          </div>
          <h2 className="caption mb-2">Goals</h2>
          <div className="mb-7 rounded-lg border border-line bg-s1">
            <NumberRow
              title="Waiting for approval"
              text="Minutes after which a goal that nobody answers pauses; 0 pauses at once"
              testid="approval-minutes"
              value={settings.approval_minutes}
              min={0}
              max={1440}
              onSave={(approval_minutes) => void app.saveSettings({ approval_minutes })}
            />
            <NumberRow
              title="Time for a turn"
              text="Minutes that a model may take for one answer before it is asked again; a model on this machine may need more. 0 is the usual three"
              testid="turn-minutes"
              value={settings.turn_minutes}
              min={0}
              max={1440}
              onSave={(turn_minutes) => void app.saveSettings({ turn_minutes })}
            />
            <NumberRow
              title="Goals at once"
              text="How many run at the same time, the rest wait; from the next start on. 0 is the usual three"
              testid="goals-at-once"
              value={settings.goals_at_once}
              min={0}
              max={32}
              onSave={(goals_at_once) => void app.saveSettings({ goals_at_once })}
            />
            <NumberRow
              title="Keep ended goals"
              text="Days after which an ended goal is deleted with everything about it, at the next start; 0 keeps it until you delete it"
              testid="keep-days"
              value={settings.keep_days}
              min={0}
              max={36_500}
              onSave={(keep_days) => void app.saveSettings({ keep_days })}
            />
            <NumberRow
              title="Programs after the end"
              text="Minutes that the programs of a goal stay when it is done, so that you can look at what was built; 0 ends them at once"
              testid="linger-minutes"
              value={settings.linger_minutes}
              min={0}
              max={1440}
              onSave={(linger_minutes) => void app.saveSettings({ linger_minutes })}
            />
            <NumberRow
              title="Memory of a goal"
              text="MiB that all its programs may take together; above that the largest are ended. For goals that start from now on; 0 is three quarters of this machine's memory"
              testid="goal-memory"
              value={settings.goal_memory}
              min={0}
              max={16_777_216}
              onSave={(goal_memory) => void app.saveSettings({ goal_memory })}
            />
            <TextRow
              title="More toolchains"
              text="Folders of programs that goals see and cannot write, with : in between, such as /home/you/.zig. Goals see the usual ones already; for goals that start from now on"
              testid="toolchains"
              value={settings.toolchains}
              onSave={(toolchains) => app.saveSettings({ toolchains })}
            />
            <TextRow
              title="Folder for new goals"
              text="Each new goal gets a folder in it; empty for the usual place"
              testid="work-dir"
              value={settings.work_dir}
              onSave={(work_dir) => app.saveSettings({ work_dir })}
            />
            <SwitchRow
              title="Notifications"
              text="The desktop says when a goal needs you or is over"
              testid="notifications"
              on={settings.notifications}
              onChange={(notifications) => void app.saveSettings({ notifications })}
            />
          </div>
          <Providers />
          <MCPServers />
          <Secrets />
          <h2 className="caption mt-7 mb-2">About</h2>
          <dl className="selectable grid grid-cols-[120px_1fr] gap-y-1 rounded-lg border border-line bg-s1 px-4 py-3 text-xs">
            <dt className="text-t3">Version</dt>
            <dd>{connection.version || "unknown"}</dd>
            <dt className="text-t3">Data</dt>
            <dd className="font-mono text-2xs leading-[18px] break-all">{connection.data_dir}</dd>
            <dt className="text-t3">Goal folders</dt>
            <dd className="font-mono text-2xs leading-[18px] break-all">{connection.work_dir}</dd>
            <dt className="text-t3">Shown in</dt>
            <dd>{window ? "its own window" : "an ordinary browser"}</dd>
          </dl>
        </div>
      </main>
    </div>
  );
}
