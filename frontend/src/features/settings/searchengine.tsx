import { useState } from "react";
import { noSearch, searchEngines } from "@/lib/searchengines";
import { Select } from "@/ui/input";
import { rowWords } from "./places";
import { Row, TextRow, type SectionProps } from "./rows";

/** The search engine of the address bar. */
export function SearchEngine({ settings, save, saveRow }: SectionProps) {
  const page = settings.search_page;
  const known = page === "" || page === noSearch || searchEngines.some((e) => e.address === page);
  const [custom, setCustom] = useState(!known);
  return (
    <>
      <Row {...rowWords("Search engine")}>
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
    </>
  );
}
