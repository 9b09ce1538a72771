import { argumentsLine, stripControl } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { Section } from "./section";

/** The calls of a goal that wait for the user. They are answered where everything of them is shown. */
export function PendingApprovals({ goal }: { goal: string }) {
  const app = useApp();
  const approvals = useAppState((s) => s.approvals);
  const list = approvals.filter((a) => a.goal_id === goal && a.given === "");
  if (list.length === 0) return null;
  return (
    <Section title="Approval" aside={`${list.length} waiting`} testid="asks">
      <ul className="flex flex-col gap-2">
        {list.map((a) => (
          <li key={a.request} className="text-xs" data-testid="ask" data-request={a.request}>
            <p className="truncate">
              <span className="font-medium">{a.tool}</span>{" "}
              <span className="text-text-muted">{stripControl(argumentsLine(a.arguments))}</span>
            </p>
            <p className="line-clamp-2 text-text-faint">{stripControl(a.why)}</p>
          </li>
        ))}
      </ul>
      <Button look="primary" className="mt-2" data-testid="asks-open" onClick={() => void app.approvals.open()}>
        Review…
      </Button>
    </Section>
  );
}
