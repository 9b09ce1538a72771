import type {
  CheckState,
  Connection,
  ConnectionTest,
  DatabaseProblem,
  DoctorFinding,
  FoundServer,
  GoalView,
  PaneInfo,
  ProposalView,
  ProtectedFile,
  ProtectedState,
  MCPServer,
  Device,
  Sharing,
  Webhook,
  ModelView,
  NetworkView,
  PresetView,
  Provider,
  RemoteSession,
  SSHServer,
  Settings,
  SpendBy,
  SpendRow,
  StepRow,
  SuggestedCheck,
} from "@/bridge/types";

/** The fixed current time of the fake bridge, so that its pictures are the same each time. */
export const fixtureTime = Date.parse("2026-03-14T09:26:53.000Z");

export const at = (ms: number) => new Date(fixtureTime + ms).toISOString();

export const connection: Connection = {
  url: "",
  token: "",
  version: "0.1.0-fake",
  os: "linux",
  data_dir: "/home/ada/.local/share/goalpost",
  work_dir: "/home/ada/Goalpost",
};

export const settings: Settings = {
  theme: "dark",
  font_size: 13,
  scrollback: 10_000,
  keys: null,
  leader_keys: null,
  font_family: "",
  webgl: false,
  screen_reader: false,
  cursor_style: "",
  color_scheme: "",
  shell: "",
  keep_running: false,
  host_idle_minutes: 10,
  keep_awake: "plugged_in",
  page_idle_minutes: 15,
  ask_where_to_save: false,
  user_agent: "",
  welcomed: true,
  approval_minutes: 10,
  secrets_in_file: false,
  notifications: true,
  notification_sound: false,
  quiet_hours: "",
  escalate_after: 8,
  digest_at: "",
  share_address: "",
  link_address: "",
  goals_at_once: 3,
  keep_days: 0,
  silence_minutes: 0,
  model_wait_hours: 0,
  chat_rounds: 0,
  chat_model: "",
  critic_model: "",
  judge_model: "",
  review_model: "",
  vision_model: "",
  summary_model: "",
  fallback_model: "",
  grace_minutes: 30,
  goal_memory: 0,
  daily_limit_usd: 20,
  goal_filters: null,
  toolchains: "",
  work_dir: "",
  home_page: "",
  search_page: "",
  update_feed: "",
  web_search: "",
  web_search_address: "",
  web_search_secret: "",
};

/** The suggestions for a goal in a folder. */
export const suggested: SuggestedCheck[] = [
  {
    check: { type: "shell", command: "go test ./cart/..." },
    reason: "go.mod: a Go module with tests.",
    from: "folder",
    allow_local: [],
  },
  {
    check: { type: "http", url: "http://127.0.0.1:8080/" },
    reason: "Your server answers on port 8080 (now with status 200).",
    from: "server",
    allow_local: [8080],
  },
  {
    check: { type: "model_question", question: "Does the cart page show the discount exactly once?" },
    reason: "A program cannot see how the page shows it.",
    from: "model",
    allow_local: [],
  },
];

const spendRow = (key: string, usd: number, turns: number, tokens_in: number, tokens_out: number, label = "") => {
  return { key, label, usd, turns, tokens_in, tokens_out };
};

/** The cost of models in the last days, by each dimension. */
export const spendRows: Record<SpendBy, SpendRow[]> = {
  day: [
    spendRow("2026-03-14", 7.42, 318, 4_812_000, 96_400),
    spendRow("2026-03-13", 11.08, 502, 7_190_000, 141_200),
    spendRow("2026-03-11", 0.0042, 3, 2_100, 310),
  ],
  goal: [
    spendRow("01m0running00000000000000a1", 9.3, 412, 6_020_000, 118_000, "Make a price list as a web page"),
    spendRow("01m0limit000000000000000f6", 7.1, 301, 4_700_000, 92_000, "Scrape 20 product pages to PDF"),
    spendRow("01m0gone0000000000000000z9", 2.1, 98, 1_200_000, 25_600),
    spendRow("", 0.0042, 12, 84_100, 2_310),
  ],
  provider: [spendRow("anthropic", 18.5, 811, 11_900_000, 236_000), spendRow("ollama", 0, 12, 104_100, 1_910)],
  model: [
    spendRow("claude-sonnet-4.5", 17.9, 640, 11_000_000, 221_000),
    spendRow("claude-haiku-4.5", 0.6, 171, 900_000, 15_000),
    spendRow("qwen3-coder:30b", 0, 12, 104_100, 1_910),
  ],
};

export const findings: DoctorFinding[] = [
  { id: "data", state: "ok", title: "Data folder", detail: "/home/ada/.local/share/goalpost is writable", hint: "" },
  { id: "helper", state: "ok", title: "Helper", detail: "starts programs", hint: "" },
  { id: "chromium", state: "ok", title: "Chromium", detail: "/usr/bin/chromium 156.0.8078.79", hint: "" },
  {
    id: "sandbox",
    state: "warn",
    title: "Sandbox",
    detail: "a goal's programs are held by the kernel: namespaces, Landlock",
    hint: "as root, a goal's programs can modify any file that you give it: run Goalpost as an ordinary user",
  },
  {
    id: "model",
    state: "warn",
    title: "No model is configured",
    detail: "The demo works without one. It is scripted, no AI.",
    hint: "set OPENAI_API_KEY, or add a provider in Settings",
  },
];

export const network: NetworkView = {
  total: 46,
  refused: 3,
  hosts: [
    {
      host: "fonts.example",
      own: false,
      allowed: false,
      methods: ["CONNECT"],
      from: ["pane"],
      count: 3,
      in: 0,
      out: 0,
      reason: "this goal has no network access",
      last_at: at(-70_000),
    },
    {
      host: "127.0.0.1:8080",
      own: true,
      allowed: true,
      methods: ["GET"],
      from: ["pane"],
      count: 43,
      in: 184_320,
      out: 0,
      reason: "",
      last_at: at(-3_000),
    },
  ],
};

export const notShared: Sharing = { url: "", authority: "", fingerprint: "", problem: "" };

export const sharing: Sharing = {
  url: "https://192.168.1.20:4444/",
  authority: "https://192.168.1.20:4444/authority.crt",
  fingerprint: Array.from({ length: 32 }, (_, i) => (i * 7 + 16).toString(16).toUpperCase()).join(":"),
  problem: "",
};

export const devices: Device[] = [
  {
    id: "1f2e3d4c",
    name: "Safari on iPhone",
    address: "192.168.1.23",
    user: "",
    by: "link",
    since: "2026-11-19T18:03:00Z",
    seen: "2026-11-21T09:12:00Z",
  },
];

export const webhooks: Webhook[] = [
  {
    name: "phone",
    form: "ntfy",
    events: ["needs_you", "ended"],
    plain_http: false,
    host: "ntfy.sh",
    failed_at: "",
    failure: "",
  },
  {
    name: "team",
    form: "slack",
    events: ["ended"],
    plain_http: false,
    host: "hooks.slack.com",
    failed_at: "2026-11-21T09:12:00Z",
    failure: "it answered 404 Not Found: no_service",
  },
];

export const mcpServers: MCPServer[] = [
  {
    name: "notes",
    command: "notes-mcp",
    args: ["--folder", "."],
    env: [],
    url: "",
    headers: [],
    risk: "",
    read: ["/home/me/notes-mcp"],
    timeout_seconds: 0,
    start_seconds: 0,
    off: false,
    progress: "",
    login_address: "",
    notes: ["skipped on its standard output, which is for messages alone: Notes 1.4 is ready"],
    title: "notes 1.4.0",
    listed_at: "2026-11-21T09:12:00Z",
    tools: [
      { name: "search_notes", description: "Finds notes that hold a text.", risk: "read_only" },
      { name: "add_note", description: "Writes a new note.", risk: "write_local" },
      { name: "share_note", description: "Sends a note to somebody.", risk: "network_write" },
    ],
  },
  {
    name: "issues",
    command: "",
    args: [],
    env: [],
    url: "https://mcp.example.org/",
    headers: ["Authorization: Bearer {{secret:ISSUES}}"],
    risk: "network_get",
    read: [],
    timeout_seconds: 0,
    start_seconds: 0,
    off: false,
    progress: "",
    login_address: "",
    notes: [],
    title: "",
    listed_at: "",
    tools: [],
  },
];

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export const providers: Provider[] = [
  {
    id: "demo",
    kind: "demo",
    base_url: "",
    model: "demo",
    api_key_env: "",
    api_key_secret: "",
    context_window: 0,
    active: false,
    scripted: true,
    ready: true,
    note: "scripted, no AI",
    efforts: [],
    preset: "",
    input_price: 0,
    output_price: 0,
    has_price: true,
    tested_at: "",
    latency_ms: 0,
    models: 0,
  },
  {
    id: "local",
    kind: "openai",
    base_url: "http://127.0.0.1:11434/v1",
    model: "qwen3-coder",
    api_key_env: "",
    api_key_secret: "",
    context_window: 0,
    active: true,
    scripted: false,
    ready: true,
    note: "",
    efforts,
    preset: "ollama",
    input_price: 0,
    output_price: 0,
    has_price: true,
    tested_at: at(-120_000),
    latency_ms: 412,
    models: 3,
  },
  {
    id: "openai",
    kind: "openai",
    base_url: "https://api.openai.com/v1",
    model: "gpt-5",
    api_key_env: "OPENAI_API_KEY",
    api_key_secret: "",
    context_window: 0,
    active: false,
    scripted: false,
    ready: false,
    note: "not tested",
    efforts,
    preset: "openai",
    input_price: 0,
    output_price: 0,
    has_price: true,
    tested_at: "",
    latency_ms: 0,
    models: 0,
  },
];

const preset = (id: string, name: string, more: Partial<PresetView> = {}): PresetView => ({
  id,
  name,
  kind: id === "anthropic" ? "anthropic" : "openai",
  base_url: `https://api.${id}.example/v1`,
  key_page: `https://${id}.example/keys`,
  key_variable: `${id.toUpperCase()}_API_KEY`,
  has_key: false,
  local: false,
  ...more,
});

const local = (id: string, name: string, port: number) =>
  preset(id, name, { base_url: `http://127.0.0.1:${port}/v1`, key_page: "", key_variable: "", local: true });

export const presets: PresetView[] = [
  preset("openai", "OpenAI"),
  preset("anthropic", "Anthropic", { has_key: true }),
  preset("gemini", "Google Gemini"),
  preset("openrouter", "OpenRouter"),
  local("ollama", "Ollama", 11_434),
  local("lmstudio", "LM Studio", 1_234),
  preset("mistral", "Mistral"),
  preset("deepseek", "DeepSeek"),
  preset("groq", "Groq"),
  preset("xai", "xAI"),
  preset("azure", "Azure OpenAI", { base_url: "" }),
  local("vllm", "vLLM", 8_000),
  local("llamacpp", "llama.cpp", 8_080),
  preset("custom", "Custom endpoint", { base_url: "", key_page: "", key_variable: "" }),
];

export const foundServers: FoundServer[] = [
  {
    preset: "ollama",
    name: "Ollama",
    base_url: "http://127.0.0.1:11434/v1",
    models: ["qwen3-coder:30b", "gpt-oss:20b", "gemma3"],
  },
  { preset: "lmstudio", name: "LM Studio", base_url: "http://127.0.0.1:1234/v1", models: ["qwen3-8b"] },
];

const offered = (id: string, price: [number, number], more: Partial<ModelView> = {}): ModelView => ({
  id,
  context_window: 200_000,
  window_from: "catalog",
  input_price: price[0],
  output_price: price[1],
  cached_price: 0,
  free: false,
  images: "yes",
  tools: "yes",
  reasoning: "yes",
  recommended: false,
  other: false,
  ...more,
});

export const connectionTest: ConnectionTest = {
  ok: true,
  step: "",
  message: "",
  hint: "",
  response: "",
  status: 0,
  latency_ms: 412,
  steps: [
    { id: "reach", state: "ok", detail: "api.anthropic.com answers" },
    { id: "models", state: "ok", detail: "6 models" },
    { id: "tools", state: "ok", detail: "claude-sonnet-5-5 called a tool in 412 ms" },
  ],
  models: [
    offered("claude-sonnet-5-5", [2, 10], { recommended: true, context_window: 1_000_000 }),
    offered("claude-opus-5-5", [4, 20], { context_window: 1_000_000 }),
    offered("claude-haiku-4-5", [1, 5]),
    offered("claude-sonnet-4-5", [3, 15]),
    offered("claude-3-5-haiku", [0.8, 4], { reasoning: "no" }),
    offered("experimental", [0, 0], { other: true, context_window: 32_768, window_from: "assumed", images: "" }),
  ],
  model: "claude-sonnet-5-5",
  notes: [],
};

export const rejectedKey: ConnectionTest = {
  ...connectionTest,
  ok: false,
  step: "key",
  message: "OpenAI rejected this key.",
  hint: "It may be incomplete, revoked, or belong to another account. Copy it again and paste it here.",
  response: '{"error":{"message":"Incorrect API key provided: [key]"}}',
  status: 401,
  latency_ms: 230,
  steps: [{ id: "key", state: "bad", detail: "OpenAI rejected this key." }],
  models: [],
  model: "",
};

/** The criterion that the folder shop proposes. */
export const proposal: ProposalView = {
  path: "/home/ada/shop/.goalpost/done.yaml",
  text:
    "checks:\n  - type: shell\n    command: npm test\n  - type: http\n    url: " +
    'https://shop.example/\n    body_contains: "Cart"\n',
  checks: [
    { type: "shell", command: "npm test" },
    { type: "http", url: "https://shop.example/", body_contains: "Cart" },
  ],
  any: false,
  words: 'the command `npm test` exits with 0, and GET https://shop.example/ answers 200 with "Cart" in its body',
  hosts: ["shop.example"],
};

/** The files that decide in the folder shop. */
export const protectedFiles: ProtectedFile[] = [
  { path: "src/cart.test.ts", kind: "held", why: "a test of npm test" },
  { path: "src/price.test.ts", kind: "held", why: "a test of npm test" },
  { path: "jest.config.*", kind: "appears", why: "the runner would load it automatically" },
];

const minute = 60_000;

export const blankView: GoalView = {
  id: "",
  objective: "",
  dir: "/home/ada/shop",
  status: "pending",
  exit: "",
  reason: "",
  verified: false,
  judged: false,
  scripted: false,
  created_at: at(0),
  started_at: "",
  ended_at: "",
  spent_ms: 0,
  steps: 0,
  iterations: 0,
  checks_passed: 0,
  checks: 1,
  tokens_in: 0,
  tokens_out: 0,
  usd: 0,
  parked_until: "",
  parked_since: "",
  queued: "",
  pid: 0,
  seq: 1,
  activity: [],
  criterion_sha256: "9f2c61b3a07de41c",
  any: false,
  check_states: [],
  policy: { risk: "write_local", dir: "/home/ada/shop" },
  provider: "local",
  model: "qwen3-coder",
  wall_clock_ms: 60 * minute,
  max_iterations: 300,
  max_claims: 5,
  max_tokens: 0,
  max_usd: 5,
  report: [],
  account: "",
  criterion: [],
  options: { critic_every: 5 },
  reviewed: false,
  waits: false,
  tampered: false,
  asked_pane: "",
  todos: [],
  notes: [],
  panes: [],
  marks: [],
};

const check = (name: string, passed: boolean): CheckState => ({
  type: "shell",
  name,
  words: `the command \`${name}\` exits with 0`,
  outcome: passed ? "pass" : "",
  detail: passed ? "exit 0" : "",
  tail: "",
  ms: passed ? 412 : 0,
  claim: passed ? 1 : 0,
});

/** Goals that have stopped, one for each status of the list. */
export const staticGoals: GoalView[] = [
  {
    ...blankView,
    id: "01m0running00000000000000a1",
    objective: "Bring the flaky cart suite to green, ten runs in a row",
    status: "running",
    created_at: at(-14 * minute),
    started_at: at(-14 * minute),
    spent_ms: 14 * minute,
    steps: 61,
    iterations: 48,
    usd: 1.9,
    tokens_in: 481_200,
    tokens_out: 22_100,
    activity: [2, 4, 3, 3, 5, 2, 1, 3, 4, 6, 2, 3, 1, 2, 4, 3, 2, 3, 4, 2, 3, 1, 2, 3],
    check_states: [check("for i in 1 2 3 4 5 6 7 8 9 10; do npm test -- cart || exit 1; done", false)],
  },
  {
    ...blankView,
    id: "01m0needs000000000000000b2",
    objective: "Export last month's invoices as PDF",
    status: "paused",
    exit: "needs_user",
    reason: "the agent asks: The page wants a second factor in browser pane b3. Can you log in there?",
    created_at: at(-90 * minute),
    started_at: at(-89 * minute),
    spent_ms: 7 * minute,
    steps: 23,
    usd: 0.31,
    activity: [3, 5, 4, 6, 2, 3, 0, 0],
    report: ["The agent asks: The page wants a second factor in browser pane b3. Can you log in there?"],
    todos: [
      { text: "Log in", done: false },
      { text: "Export May", done: false },
    ],
    check_states: [check("test -s invoices.pdf", false)],
  },
  {
    ...blankView,
    id: "01m0queued00000000000000c3",
    objective: "Rename the module in every package and keep the build green",
    status: "pending",
    queued: "3 goals are already running",
    created_at: at(-2 * minute),
    check_states: [check("go build ./...", false)],
  },
  {
    ...blankView,
    id: "01m0parked00000000000000d4",
    objective: "Upgrade staging DB to schema v5",
    dir: "/home/ada/infra",
    status: "paused",
    exit: "parked",
    reason: "Waiting for the model: overloaded: HTTP 529: overloaded (wait, or choose another provider).",
    parked_since: at(-12 * minute),
    parked_until: at(134_000),
    created_at: at(-200 * minute),
    started_at: at(-199 * minute),
    spent_ms: 31 * minute,
    steps: 44,
    check_states: [check("./migrate status | grep -q v5", false)],
  },
  {
    ...blankView,
    id: "01m0done0000000000000000e5",
    objective: "Release notes for 2.3",
    status: "completed",
    exit: "done",
    verified: true,
    assurance: "weakened",
    assurance_words: "Passed, look at this",
    assurance_reason: "lint-notes.js decides itself by how it ends",
    reopen_note: "The check passed, but lint-notes.js decides itself by how it ends. Make it pass without that.",
    reason: "Every check passed.",
    created_at: at(-300 * minute),
    started_at: at(-300 * minute),
    ended_at: at(-280 * minute),
    spent_ms: 20 * minute,
    steps: 38,
    checks: 2,
    checks_passed: 2,
    report: ["Every check passed.", "NOTES.md lists 14 changes.", "Two of them had no pull request."],
    check_states: [check("test -s NOTES.md", true), check("./lint-notes NOTES.md", true)],
    reviewed: true,
    result:
      "**NOTES.md** lists the 14 changes of 2.3, newest first, each with its pull request. Two of them had none; they are " +
      "marked with `(direct)`.\n\n" +
      "## What to look at\n\n- [x] Every line ends with its author\n- [ ] Decide whether `--legacy-cart` stays documented\n\n" +
      "| part | changes |\n| --- | --- |\n| cart | 9 |\n| payment | 5 |\n\n" +
      "The tags are at [shop.example/releases](https://shop.example/releases). <b>Tags stay text.</b>\n\n" +
      "```sh\n./lint-notes NOTES.md\n```\n",
    todos: [
      { text: "Collect", done: true },
      { text: "Write", done: true },
    ],
    marks: [{ at_ms: 19 * minute, what: "verify:pass", detail: "2 of 2 checks passed", claim: 1, step: 0 }],
  },
  {
    ...blankView,
    id: "01m0limit000000000000000f6",
    objective: "Move CI cache to the new bucket",
    status: "failed",
    exit: "limit_reached",
    reason: "The time of 1 h is over.",
    created_at: at(-2_000 * minute),
    started_at: at(-2_000 * minute),
    ended_at: at(-1_940 * minute),
    spent_ms: 60 * minute,
    steps: 112,
    iterations: 140,
    report: ["Stopped: the time of 1 h is over.", "0 of 1 check passed; open: ./ci-cache-check (exit 1)."],
    account:
      "I copied 214 of 300 entries. The rest failed with 403: the new bucket does not let this " +
      "account write into /release. I would ask for that right first.",
    check_states: [check("./ci-cache-check", false)],
  },
  {
    ...blankView,
    id: "01m0gaveup00000000000000g7",
    objective: "Scrape 20 product pages to PDF",
    status: "aborted",
    exit: "gave_up",
    reason: "The site answers 403 to every page after the third.",
    created_at: at(-3_000 * minute),
    started_at: at(-3_000 * minute),
    ended_at: at(-2_990 * minute),
    spent_ms: 10 * minute,
    steps: 64,
    check_states: [check("test $(ls out/*.pdf | wc -l) -eq 20", false)],
  },
  {
    ...blankView,
    id: "01m0waits00000000000000h8",
    objective: "Draw a logo for the shop",
    status: "paused",
    exit: "needs_user",
    reason: "everything else passed; the user must accept the result or send it back",
    waits: true,
    created_at: at(-40 * minute),
    started_at: at(-40 * minute),
    spent_ms: 12 * minute,
    steps: 18,
    checks: 2,
    checks_passed: 1,
    criterion: [
      { type: "file", path: "logo.svg", min_size: 200 },
      { type: "manual", note: "does logo.svg look like the shop?", wait: true },
    ],
    check_states: [
      { ...check("logo.svg", true), type: "file", words: "the file logo.svg exists, has at least 200 bytes" },
      { ...check("does logo.svg look like the shop?", false), type: "manual", words: "the user accepts the result" },
    ],
    marks: [
      { at_ms: 5 * minute, what: "critic:stuck", detail: "the same shape is drawn again and again", claim: 0, step: 9 },
      { at_ms: 8 * minute, what: "critic:progressing", detail: "a second shape is tried", claim: 0, step: 14 },
      { at_ms: 11 * minute, what: "verify:pass", detail: "logo.svg is drawn", claim: 1, step: 0 },
    ],
  },
];

export const staticSteps: StepRow[] = Array.from({ length: 61 }, (_, i) => ({
  n: i + 1,
  at_ms: i * 13_400,
  tool: ["run_command", "read_file", "edit_file", "run_command"][i % 4] ?? "run_command",
  arguments: JSON.stringify(
    [
      { command: "npm test -- cart" },
      { path: "src/cart.test.ts" },
      { path: "src/clock.ts", old: "Date.now()", new: "clock.now()" },
      { command: "git diff --stat" },
    ][i % 4],
  ),
  outcome: i % 9 === 4 ? ("failed" as const) : ("ok" as const),
  ms: (i * 7919) % 3_000,
  preview: i % 9 === 4 ? "exit 1" : "done",
  image_sha256: "",
  effect: "write_local",
}));

const pane: PaneInfo = {
  id: "",
  kind: "terminal",
  title: "",
  goal_id: "",
  dir: "",
  running: true,
  exit: 0,
  shared: false,
  path: "",
  url: "",
  loading: false,
  can_back: false,
  can_forward: false,
  cwd: "",
  server: "",
  terminal_profile: "",
  session: "",
  ask: "",
  secret: false,
  ask_again: false,
  problem: "",
  notice: "",
  driver: "",
  profile: "",
  inspects: "",
  asleep: false,
  icon: "",
  pinned: false,
  acting: "",
  x: 0,
  y: 0,
};

export const terminalPane = (id: string, part: Partial<PaneInfo> = {}): PaneInfo => ({
  ...pane,
  id,
  title: "bash",
  dir: "/home/ada",
  ...part,
});

export const browserPane = (id: string, part: Partial<PaneInfo> = {}): PaneInfo => ({
  ...pane,
  id,
  kind: "browser",
  driver: part.goal_id ? "agent" : "user",
  title: "New page",
  url: "about:blank",
  ...part,
});

/** A text file of the shop. */
export const sourceFile = `// The shopping cart: what a customer has chosen.
export interface Item {
  name: string;
  price: number; // in cents
  count: number;
}

/** The sum of a cart, with the discount of a coupon. */
export function total(items: readonly Item[], discount = 0): number {
  const sum = items.reduce((all, item) => all + item.price * item.count, 0);
  if (discount < 0 || discount > 1) {
    throw new RangeError("a discount is between 0 and 1");
  }
  return Math.round(sum * (1 - discount));
}
`;

export const filePane = (id: string, path: string): PaneInfo => ({
  ...pane,
  id,
  kind: "file",
  title: path.slice(path.lastIndexOf("/") + 1),
  path,
  running: false,
});

export const servers: SSHServer[] = [
  {
    id: "s1",
    name: "edge-1",
    host: "edge-1.example",
    port: 22,
    user: "deploy",
    key_path: "",
    jump: "",
    folder: "/var/log/nginx",
    tmux: true,
  },
];

export const remoteSessions: RemoteSession[] = [
  { name: "build", created: at(-7_200_000), attached: 0, windows: 2 },
  { name: "goalpost-1a2b3c4d", created: at(-86_400_000), attached: 1, windows: 1 },
];

/** The protected files of the fake goals, unchanged. */
export const protection: ProtectedState = {
  files: [
    { path: "tests/cart.test.js", kind: "held", why: "the check runs it as a test" },
    { path: "jest.config.js", kind: "held", why: "the check takes its settings from it" },
    { path: "**/vitest.config.*", kind: "appears", why: "the test runner would load it" },
  ],
  changes: [],
};

/** Two of them, changed. */
export const changedProtection: ProtectedState = {
  ...protection,
  changes: [
    {
      path: "tests/cart.test.js",
      why: "the check runs it as a test",
      diff: "--- tests/cart.test.js\n+++ tests/cart.test.js\n@@ -4,3 +4,3 @@\n test('total', () => {\n-  expect(total([2, 3])).toBe(5);\n+  expect(total([2, 3])).toBe(6);\n });\n",
      sha256: "1".repeat(64),
    },
    {
      path: "package.json",
      why: "the check takes its settings from it",
      diff: '--- package.json (scripts)\n+++ package.json (scripts)\n@@ -1,1 +1,1 @@\n-"test": "node --test"\n+"test": "true"\n',
      sha256: "2".repeat(64),
    },
  ],
};

/** A database of which a part was overwritten, with copies of two days. */
export const damagedDatabase: DatabaseProblem = {
  message:
    "the database /home/ada/.local/state/goalpost/goalpost.db is damaged: a part of it is missing or was overwritten",
  hint: "",
  damaged: true,
  other_version: false,
  can_wait: false,
  copies: [
    { at: "2026-11-28T09:12:00Z", bytes: 1_400_000 },
    { at: "2026-11-27T08:03:00Z", bytes: 1_300_000 },
  ],
};
