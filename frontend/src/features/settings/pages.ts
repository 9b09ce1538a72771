import type { Settings } from "@/bridge/types";

/** The keys of the settings whose values have a type. */
type KeysOf<T> = { [K in keyof Settings]: Settings[K] extends T ? K : never }[keyof Settings];

interface RowWords {
  title: string;
  text: string;
  /** Other words that users type for it. */
  words?: readonly string[];
}

/** A row of the settings. Its control follows from it; one of kind "own" is drawn by the component of its section. */
export type SettingRow = RowWords &
  (
    | { kind: "number"; key: KeysOf<number>; min: number; max: number }
    | { kind: "text"; key: KeysOf<string> }
    | { kind: "switch"; key: KeysOf<boolean> }
    | { kind: "choice"; key: KeysOf<string>; choices: readonly { value: string; title: string }[] }
    | { kind: "own" }
  );

/** The sections that are more than rows. */
export type OwnSection =
  | "browser"
  | "colorSchemes"
  | "terminalProfiles"
  | "webSearch"
  | "providers"
  | "modelRoles"
  | "engines"
  | "library"
  | "memory"
  | "spend"
  | "mcpServers"
  | "webhooks"
  | "devices"
  | "secrets"
  | "keyboard"
  | "about";

interface Section {
  /** "" if the page has no other. */
  title: string;
  words?: readonly string[];
  rows: readonly SettingRow[];
  /** The component below the rows. */
  own?: OwnSection;
}

/** A page of the settings. */
export interface Page {
  title: string;
  text: string;
  words: readonly string[];
  sections: readonly Section[];
}

const own = (title: string, text: string, ...words: string[]): SettingRow => ({ kind: "own", title, text, words });

const general: Page = {
  title: "General",
  text: "What stays when the window closes, power and updates",
  words: ["preferences"],
  sections: [
    {
      title: "Window",
      rows: [
        {
          kind: "switch",
          key: "keep_running",
          title: "Keep everything running when the window closes",
          text: "Goals, terminals and pages; turned off, the window asks",
          words: ["background", "close"],
        },
        {
          kind: "number",
          key: "host_idle_minutes",
          title: "End the host process when idle",
          text: "Minutes with nothing running and no window open (0 = keep it until it is stopped)",
          words: ["background", "daemon"],
          min: 0,
          max: 1440,
        },
      ],
    },
    {
      title: "Power",
      words: ["battery", "laptop"],
      rows: [
        {
          kind: "choice",
          key: "keep_awake",
          title: "Keep the computer awake",
          text:
            "While goals run, not while they wait for you. The screen still turns off. " +
            "While the computer sleeps, goals do nothing.",
          words: ["suspend", "sleep", "standby", "night", "lid", "inhibit"],
          choices: [
            { value: "plugged_in", title: "When plugged in" },
            { value: "lid", title: "When plugged in, also with the lid closed" },
            { value: "always", title: "Always, on battery too" },
            { value: "off", title: "Never" },
          ],
        },
      ],
    },
    {
      title: "Updates",
      words: ["new version"],
      rows: [
        {
          kind: "text",
          key: "update_feed",
          title: "Release feed",
          text:
            "HTTPS address to check for a new version at each start (releases/latest of GitHub or Forgejo). " +
            "Leave empty for no check.",
          words: ["check for updates"],
        },
      ],
    },
  ],
};

const notifications: Page = {
  title: "Notifications",
  text: "How you hear that a goal needs you or has ended",
  words: ["alerts", "attention"],
  sections: [
    {
      title: "Desktop",
      rows: [
        {
          kind: "switch",
          key: "notifications",
          title: "Show desktop notifications",
          text: "When a goal needs you or finishes",
          words: ["alerts"],
        },
        {
          kind: "switch",
          key: "notification_sound",
          title: "Play a sound with notifications",
          text: "The sound of your desktop",
          words: ["mute", "silent", "audio"],
        },
      ],
    },
    {
      title: "Away from the desk",
      rows: [
        {
          kind: "text",
          key: "quiet_hours",
          title: "Quiet hours",
          text: "For example 22:00-07:00: notifications are held back, and what still needs you follows as one. Empty is never.",
          words: ["night", "do not disturb", "silence"],
        },
        {
          kind: "number",
          key: "escalate_after",
          title: "Remind me once",
          text: "Minutes after which a request without an answer is announced once more (0 = never)",
          words: ["escalate", "waiting", "reminder"],
          min: 0,
          max: 1440,
        },
        {
          kind: "text",
          key: "digest_at",
          title: "Digest",
          text: "Time of day, for example 07:30, at which webhooks that chose it receive what happened. Empty is never.",
          words: ["daily", "summary", "morning", "report"],
        },
        {
          kind: "text",
          key: "link_address",
          title: "Address for links",
          text: "Where your phone opens Goalpost (goalctl serve), for links in messages to webhooks. Empty sends no links.",
          words: ["URL", "phone"],
        },
      ],
    },
    {
      title: "Webhooks",
      own: "webhooks",
      words: ["ntfy", "Slack", "Teams", "Mattermost", "phone", "push"],
      rows: [],
    },
  ],
};

const devices: Page = {
  title: "Devices",
  text: "Phones and other computers that use Goalpost in their browser",
  words: ["phone", "remote", "share", "QR", "serve", "login", "TLS", "certificate"],
  sections: [
    { title: "Access", own: "devices", rows: [own("Let other devices in", "From a phone or another computer")] },
    { title: "Logged in", words: ["devices", "End login", "log out"], rows: [] },
  ],
};

const appearance: Page = {
  title: "Appearance",
  text: "How the window looks and speaks",
  words: ["colors"],
  sections: [
    {
      title: "",
      rows: [
        {
          kind: "choice",
          key: "theme",
          title: "Theme",
          text: "Colors of the window, and of terminals without their own",
          words: ["dark", "light", "colors"],
          choices: [
            { value: "system", title: "System" },
            { value: "dark", title: "Dark" },
            { value: "light", title: "Light" },
          ],
        },
        {
          kind: "switch",
          key: "screen_reader",
          title: "Screen reader",
          text: "Announce terminal output to screen readers",
          words: ["accessibility"],
        },
      ],
    },
  ],
};

const terminal: Page = {
  title: "Terminal",
  text: "Changes show in open terminals at once, except the shell",
  words: ["console"],
  sections: [
    {
      title: "",
      own: "colorSchemes",
      rows: [
        {
          kind: "number",
          key: "font_size",
          title: "Terminal font size",
          text: "Font size in pixels (8–32)",
          words: ["text size", "zoom"],
          min: 8,
          max: 32,
        },
        {
          kind: "text",
          key: "font_family",
          title: "Terminal font",
          text: "Font family (first installed is used). Leave empty for JetBrains Mono",
          words: ["typeface"],
        },
        {
          kind: "choice",
          key: "cursor_style",
          title: "Cursor",
          text: "Shape in terminals, unless a program chooses another one",
          words: ["caret"],
          choices: [
            { value: "", title: "Block" },
            { value: "bar", title: "Bar" },
            { value: "underline", title: "Underline" },
          ],
        },
        {
          kind: "text",
          key: "shell",
          title: "Shell",
          text: "Program of new terminals, for example /usr/bin/fish. Leave empty for the shell of your account.",
          words: ["default shell", "zsh", "bash"],
        },
        {
          kind: "number",
          key: "scrollback",
          title: "Scrollback",
          text: "Lines that a terminal stores (100–200,000)",
          words: ["history"],
          min: 100,
          max: 200_000,
        },
        {
          kind: "switch",
          key: "webgl",
          title: "GPU rendering",
          text: "Draw terminals with WebGL; falls back automatically",
          words: ["graphics card"],
        },
        own(
          "Terminal colors",
          "Of all open terminals, in both themes. Text that would be hard to read gets more contrast.",
          ...["color scheme", "solarized", "dracula", "iTerm2", "base16", "import"],
        ),
      ],
    },
    {
      title: "Terminal profiles",
      own: "terminalProfiles",
      words: ["command", "shell", "environment", "folder", "colors"],
      rows: [],
    },
  ],
};

const browser: Page = {
  title: "Browser",
  text: "Pages that you open; what goals see is not changed",
  words: ["pages"],
  sections: [
    {
      title: "",
      own: "browser",
      rows: [
        {
          kind: "text",
          key: "home_page",
          title: "Home page",
          text: "Opened by the Home button and Alt+Home. Leave empty for a blank page.",
          words: ["start page"],
        },
        {
          kind: "text",
          key: "user_agent",
          title: "User agent",
          text: "What your pages call their browser, from their next document on. Leave empty for Chromium's own.",
          words: ["identify as", "useragent", "mobile"],
        },
        {
          kind: "switch",
          key: "ask_where_to_save",
          title: "Ask where to save each file",
          text: "A download begins at once, and waits in its list for a place. Turned off, files go to your folder for downloads.",
          words: ["downloads", "save as"],
        },
        {
          kind: "number",
          key: "page_idle_minutes",
          title: "Put unseen pages to sleep",
          text:
            "Minutes after which a page that nobody looks at gives its memory back, until you show it again (0 = never). " +
            "Not one that plays, in which you entered something, that downloads, or that a goal uses.",
          words: ["discard", "idle", "tabs"],
          min: 0,
          max: 1440,
        },
        own(
          "Search engine",
          "Words that you enter in the address bar go to it. Addresses do not, and nothing is sent while you type.",
          "google",
          "duckduckgo",
        ),
      ],
    },
  ],
};

const goals: Page = {
  title: "Goals",
  text: "How goals run, ask, wait and end",
  words: [],
  sections: [
    {
      title: "Running",
      rows: [
        {
          kind: "number",
          key: "goals_at_once",
          title: "Concurrent goals",
          text: "How many goals run at the same time (0 = default, 3). Takes effect after a restart.",
          words: ["parallel"],
          min: 0,
          max: 32,
        },
        {
          kind: "number",
          key: "approval_minutes",
          title: "Approval timeout",
          text: "Minutes before an unanswered approval pauses the goal (0 = immediately)",
          min: 0,
          max: 1440,
        },
        {
          kind: "number",
          key: "silence_minutes",
          title: "Model silence",
          text: "Minutes without a word before a model is asked again (0 = default: 5 before a reply, 2 within it)",
          words: ["timeout"],
          min: 0,
          max: 1440,
        },
        {
          kind: "number",
          key: "model_wait_hours",
          title: "Give up waiting for a model",
          text: "Hours for which a goal waits for a model that does not answer before it asks you (0 = until it answers)",
          words: ["away", "offline"],
          min: 0,
          max: 720,
        },
        {
          kind: "number",
          key: "chat_rounds",
          title: "Tools in a chat",
          text: "Rounds of tool calls that an answer may make before you write again (0 = default, 20)",
          min: 0,
          max: 1000,
        },
      ],
    },
    {
      title: "Folders and memory",
      rows: [
        {
          kind: "text",
          key: "work_dir",
          title: "Folder for new goals",
          text: "Each new goal gets a folder in it. Leave empty for the default location.",
          words: ["directory"],
        },
        {
          kind: "text",
          key: "toolchains",
          title: "Extra tool folders",
          text:
            "Read-only toolchain folders, colon-separated, for example /home/you/.zig. Standard ones " +
            "are included. Applies to new goals.",
          words: ["PATH"],
        },
        {
          kind: "number",
          key: "goal_memory",
          title: "Memory limit per goal",
          text:
            "MiB for all programs of a goal; above it, the largest are stopped (0 = three quarters of " +
            "this machine's memory). Applies to new goals.",
          words: ["RAM"],
          min: 0,
          max: 16_777_216,
        },
      ],
    },
    {
      title: "After the end",
      rows: [
        {
          kind: "number",
          key: "grace_minutes",
          title: "Keep programs running after completion",
          text:
            "Minutes that a finished goal's programs keep running, so that you can try the result (0 " +
            "= stop immediately)",
          words: ["grace period"],
          min: 0,
          max: 1440,
        },
        {
          kind: "number",
          key: "keep_days",
          title: "Delete ended goals",
          text: "Days after which ended goals are deleted at startup (0 = never)",
          words: ["clean up", "keep"],
          min: 0,
          max: 36_500,
        },
      ],
    },
    {
      title: "Web search for goals",
      words: ["searxng", "brave", "tavily"],
      own: "webSearch",
      rows: [own("Search engine for goals", "Lets agents search the web. Each query is sent to this server.")],
    },
  ],
};

/** The setting of a model that does what the model of a goal does otherwise. */
type RoleKey = Extract<KeysOf<string>, `${string}_model`>;

/** Which model does what, and the words for none in particular. */
export const modelRoles: readonly { key: RoleKey; title: string; text: string; none: string }[] = [
  { key: "chat_model", title: "Chat", text: "Answers in the chat panel", none: "Same as goals" },
  {
    key: "critic_model",
    title: "Critic",
    text: "Looks at the last steps, and says when a goal is stuck",
    none: "Same as the goal",
  },
  { key: "judge_model", title: "Judge", text: "Decides the checks that no program can", none: "Same as the goal" },
  { key: "review_model", title: "Reviewer", text: "Reviews claims whose checks passed", none: "Same as the judge" },
  { key: "vision_model", title: "Pictures", text: "Decides what a page looks like", none: "Same as the judge" },
  { key: "summary_model", title: "Summaries", text: "Shortens long conversations", none: "Same as the goal" },
  {
    key: "fallback_model",
    title: "If a goal's model is away",
    text: "Takes its turns while it does not answer or its quota is used up",
    none: "Wait for it",
  },
];

const models: Page = {
  title: "Models",
  text: "Keys are kept with your secrets. The agent never sees them.",
  words: ["providers"],
  sections: [
    { title: "Providers", words: ["models", "API key"], own: "providers", rows: [] },
    {
      title: "Which model does what",
      words: ["roles", "routing"],
      own: "modelRoles",
      rows: modelRoles.map((r) => own(r.title, r.text, "model", ...(r.key === "fallback_model" ? ["offline"] : []))),
    },
  ],
};

const spending: Page = {
  title: "Spending",
  text: "What models cost, and when goals stop for it",
  words: ["cost", "money", "price", "budget"],
  sections: [
    {
      title: "",
      own: "spend",
      rows: [
        own(
          "Daily limit",
          "For all goals, critics and judges. At the limit, goals pause until tomorrow. Leave empty for no limit.",
          "budget",
          "cost",
        ),
      ],
    },
  ],
};

const engines: Page = {
  title: "Engines",
  text: "Agents that can work on a goal in place of Goalpost's own",
  words: ["agents", "Claude Code", "Codex", "OpenCode"],
  sections: [{ title: "", own: "engines", rows: [] }],
};

const library: Page = {
  title: "Library",
  text: "What agents are told besides the goal",
  words: [],
  sections: [
    { title: "Personas", words: ["agents", "roles", "prompt"], rows: [] },
    { title: "Skills", words: ["SKILL.md", "Claude Code"], rows: [] },
    { title: "Templates", words: ["parameters"], rows: [] },
    { title: "Recipes", words: ["steps", "repeat"], own: "library", rows: [] },
    { title: "Memory", words: ["notes", "remember", "folder"], own: "memory", rows: [] },
  ],
};

const mcpServers: Page = {
  title: "MCP servers",
  text: "Programs and services whose tools goals may use",
  words: ["tools"],
  sections: [{ title: "", own: "mcpServers", rows: [] }],
};

const secrets: Page = {
  title: "Secrets and logins",
  text: "Kept in the system keyring, or in an encrypted file. The agent uses them without seeing them.",
  words: ["passwords", "API keys", "keyring"],
  sections: [
    {
      title: "",
      own: "secrets",
      rows: [own("Store in the encrypted file", "Even if a keyring is running", "keyring")],
    },
  ],
};

export const keyboardPage: Page = {
  title: "Keyboard",
  text: "Press Change and then the new key. Keys that shells need, such as Ctrl+C, Ctrl+R and Ctrl+W, are never taken.",
  words: ["shortcuts", "hotkeys", "key bindings"],
  sections: [{ title: "", own: "keyboard", rows: [] }],
};

const about: Page = {
  title: "About",
  text: "This version, and where its data is",
  words: ["version", "data folder"],
  sections: [{ title: "", own: "about", rows: [] }],
};

/** The pages in the groups in which they are listed. */
export const pageGroups: readonly (readonly Page[])[] = [
  [general, notifications, devices, appearance, terminal, browser],
  [goals, models, spending, engines, library, mcpServers, secrets],
  [keyboardPage],
  [about],
];

export const pages: readonly Page[] = pageGroups.flat();

/** What is shown first. */
export const firstPage = general;
