import { Choice, Group, Row, TextRow, type SectionProps } from "./rows";
import { rowWords } from "./places";

/** The search engine for goals. The tool is offered once the required fields are set. */
export function WebSearch({ settings, save, saveRow }: SectionProps) {
  const engine = settings.web_search;
  return (
    <Group title="Web search for goals">
      <Row {...rowWords("Search engine for goals")}>
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
    </Group>
  );
}
