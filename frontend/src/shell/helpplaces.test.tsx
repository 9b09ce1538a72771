import { act } from "@/testing/act";
import { expect, test, vi } from "vitest";
import { HelpDialog } from "@/features/help/dialog";
import { all, find, get, mount, nth, press, until } from "@/testing/mount";
import { Dialog } from "@/ui/dialog";
import { HelpContext } from "@/ui/helpbutton";
import { openHelpHere } from "./helpplaces";

test("help opens at the page of the frontmost dialog, follows links and goes back", async () => {
  const opened = vi.spyOn(window, "open").mockImplementation(() => null);
  const { app } = await mount(
    <>
      <Dialog open onClose={() => undefined} title="SSH" help="guide/ssh">
        <input aria-label="Host" />
      </Dialog>
      <HelpDialog />
    </>,
  );
  act(() => openHelpHere(app));
  await until(() => expect(get("help").textContent).toContain("SSH"));
  expect(app.state.help).toBe("guide/ssh");
  const withHref = (fits: (href: string) => boolean) =>
    nth(
      all("markdown-link").filter((a) => fits(a.getAttribute("href") ?? "")),
      0,
    );
  const shown = () => all("help-page").find((p) => p.getAttribute("aria-current"))?.dataset.page;
  await press(
    nth(
      all("help-page").filter((p) => p.dataset.page === "guide/start"),
      0,
    ),
  );
  await press(withHref((href) => href === "first-goal.md"));
  expect(shown()).toBe("guide/first-goal");
  await press("help-back");
  expect(shown()).toBe("guide/start");
  await press(withHref((href) => href.startsWith("https:")));
  expect(opened).toHaveBeenCalledOnce();
  await press("help-close");
  expect(find("help")).toBeNull();
});

test("a dialog has a button for its page", async () => {
  const targets: string[] = [];
  await mount(
    <HelpContext value={(t) => targets.push(t)}>
      <Dialog open onClose={() => undefined} title="Undo" help="guide/undo">
        text
      </Dialog>
    </HelpContext>,
  );
  await press("help-open");
  expect(targets).toEqual(["guide/undo"]);
});

test("without a dialog it is the page of the place", async () => {
  const { app } = await mount(<p>nothing in front</p>);
  app.go("settings");
  openHelpHere(app);
  expect(app.state.help).toBe("guide/settings");
});
