import { defineConfig } from "vitepress";

// The site of these documents. Every page stays readable as Markdown: no page uses Vue or raw HTML.
const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: "Goalpost",
  description: "An agent pursues a goal until a check passes that it cannot edit.",
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ["**/node_modules/**"],
  markdown: {
    html: false,
    config(md) {
      // {{…}} is a secret's or a recipe's placeholder here, not a template.
      const escape = (text: string) => md.utils.escapeHtml(text).replaceAll("{{", "&#123;&#123;");
      md.renderer.rules.text = (tokens, at) => escape(tokens[at].content);
      md.renderer.rules.code_inline = (tokens, at) => `<code v-pre>${escape(tokens[at].content)}</code>`;
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [page("Start", "/guide/start"), page("Questions", "/guide/faq"), page("Commands", "/guide/commands")],
    sidebar: [
      {
        text: "Begin",
        items: [
          page("Start in five minutes", "/guide/start"),
          page("Connect a model", "/how-to/connect-a-model"),
          page("Your first real goal", "/guide/first-goal"),
          page("Which check?", "/guide/checks"),
        ],
      },
      {
        text: "Trust",
        items: [
          page("Permissions and the sandbox", "/guide/permissions"),
          page("Approvals and questions", "/guide/approvals"),
          page("Changes and undo", "/guide/undo"),
          page("Personas and skills", "/guide/personas"),
          page("Attempts at a false “done”", "/trust"),
          page("Security", "/security"),
        ],
      },
      {
        text: "The app",
        items: [
          page("Goals in depth", "/how-to/goals"),
          page("Workspaces", "/guide/workspaces"),
          page("Chat", "/guide/chat"),
          page("Terminals", "/guide/terminals"),
          page("Files", "/guide/files"),
          page("Browser panes", "/guide/browser"),
          page("SSH", "/guide/ssh"),
          page("In a browser", "/guide/serve"),
          page("MCP", "/how-to/mcp"),
          page("Model servers", "/how-to/model-servers"),
        ],
      },
      {
        text: "Look up",
        items: [
          page("Keyboard", "/guide/keyboard"),
          page("Commands", "/guide/commands"),
          page("Settings", "/guide/settings"),
          page("Troubleshooting", "/guide/troubleshooting"),
          page("Questions and answers", "/guide/faq"),
          page("Comparison", "/guide/comparison"),
          page("Packages", "/how-to/packages"),
          page("Platforms", "/platforms"),
        ],
      },
      {
        text: "For contributors",
        collapsed: true,
        items: [
          page("Engines", "/engines"),
          page("Architecture", "/architecture"),
          page("Glossary", "/glossary"),
          page("Testing", "/testing"),
          page("Performance", "/performance"),
          page("The page's protocol", "/stream"),
          page("Tools of the agent", "/tools"),
          page("Promises and gaps", "/gaps"),
          page("Licences", "/licences"),
        ],
      },
    ],
  },
});
