import type { SettingRow } from "./pages";
import { Choice, NumberRow, Row, SwitchRow, TextRow, type SectionProps } from "./rows";

interface OptionRowProps extends SectionProps {
  row: SettingRow;
}

/** The row of a setting, as its entry in the pages describes it. Its test id is its key. */
export function OptionRow({ row, settings, save, saveRow }: OptionRowProps) {
  if (row.kind === "own") return null;
  const { title, text, key } = row;
  const common = { title, text, testid: key.replaceAll("_", "-") };
  switch (row.kind) {
    case "number":
      return (
        <NumberRow
          {...common}
          value={settings[row.key]}
          min={row.min}
          max={row.max}
          onSave={(n) => void save({ [key]: n })}
        />
      );
    case "text":
      return <TextRow {...common} value={settings[row.key]} onSave={(line) => saveRow({ [key]: line })} />;
    case "switch":
      return <SwitchRow {...common} on={settings[row.key]} onChange={(on) => void save({ [key]: on })} />;
    case "choice":
      return (
        <Row title={title} text={text}>
          <Choice
            name={common.testid}
            value={settings[row.key]}
            choices={row.choices}
            onChange={(value) => void save({ [key]: value })}
          />
        </Row>
      );
  }
}
