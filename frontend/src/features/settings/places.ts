/** A section or a row of the settings, as the palette finds it. */
export interface SettingsPlace {
  title: string;
  /** The section of a row; "" for a section. */
  section: string;
  /** Other words that users type for it. */
  words: readonly string[];
}

const place = (title: string, section = "", ...words: string[]): SettingsPlace => ({ title, section, words });

/** The sections and rows of the settings. A test compares them with the page. */
export const settingsPlaces: readonly SettingsPlace[] = [
  place("Appearance", "", "colors"),
  place("Theme", "Appearance", "dark", "light", "colors"),
  place("Terminal font size", "Appearance", "text size", "zoom"),
  place("Scrollback", "Appearance", "history", "lines"),
  place("Terminal font", "Appearance", "font family"),
  place("Cursor", "Appearance", "caret", "bar", "underline"),
  place("Terminal colors", "Appearance", "color scheme", "solarized", "dracula", "iTerm2", "base16", "import"),
  place("Shell", "Appearance", "default shell", "zsh", "fish", "bash"),
  place("GPU rendering", "Appearance", "webgl"),
  place("Screen reader", "Appearance", "accessibility"),
  place("Terminal profiles", "", "command", "shell", "environment", "folder", "colors"),
  place("Pages", "", "browser"),
  place("Home page", "Pages", "start page"),
  place("Search engine", "Pages", "google", "duckduckgo"),
  place("Put unseen pages to sleep", "Pages", "discard", "memory", "idle", "tabs"),
  place("Web search for goals", "", "searxng", "brave", "tavily"),
  place("Goals", ""),
  place("Approval timeout", "Goals", "minutes"),
  place("Model silence", "Goals", "timeout"),
  place("Give up waiting for a model", "Goals", "hours", "away", "offline"),
  place("Tools in a chat", "Goals", "rounds", "answer"),
  place("Concurrent goals", "Goals", "parallel"),
  place("Delete ended goals", "Goals", "clean up", "keep"),
  place("Keep programs running after completion", "Goals", "grace period"),
  place("Memory limit per goal", "Goals", "RAM"),
  place("Extra tool folders", "Goals", "toolchain", "PATH"),
  place("Folder for new goals", "Goals", "directory"),
  place("Show desktop notifications", "Goals", "alerts"),
  place("Keep everything running when the window closes", "Goals", "background", "close"),
  place("End the host process when idle", "Goals", "background", "daemon", "minutes"),
  place("Models", "", "providers"),
  place("Which model does what", "", "roles", "routing"),
  place("Chat", "Which model does what", "model"),
  place("Critic", "Which model does what", "model"),
  place("Judge", "Which model does what", "model", "question"),
  place("Reviewer", "Which model does what", "model", "review"),
  place("Pictures", "Which model does what", "vision", "model"),
  place("Summaries", "Which model does what", "compaction", "model"),
  place("If a goal's model is away", "Which model does what", "fallback", "quota", "offline"),
  place("Engines", "", "agents", "Claude Code", "Codex", "OpenCode"),
  place("Personas", "", "agents", "roles", "prompt"),
  place("Skills", "", "SKILL.md", "Claude Code"),
  place("Templates", "", "parameters", "recipes"),
  place("Memory", "", "notes", "remember", "folder"),
  place("Spending", "", "cost", "money", "price", "budget"),
  place("Daily limit", "Spending", "budget", "cost"),
  place("MCP servers", "", "tools"),
  place("Secrets and logins", "", "passwords", "API keys", "keyring"),
  place("Store in the encrypted file", "Secrets and logins", "keyring"),
  place("Updates", "", "new version"),
  place("Release feed", "Updates", "check for updates"),
  place("About", "", "version", "data folder"),
];
