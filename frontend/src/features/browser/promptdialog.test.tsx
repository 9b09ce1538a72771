import { expect, test } from "vitest";
import type { UserPrompt, UserPromptKind } from "@/bridge/types";
import { get, mount } from "@/testing/mount";
import { QuestionBox } from "./promptdialog";

const question = (kind: UserPromptKind) =>
  ({ id: "q", kind, origin: "https://example.org", text: "", value: "geolocation" }) as unknown as UserPrompt;

test.each<[UserPromptKind, string]>([
  ["permission", "question-dismiss"],
  ["certificate", "question-dismiss"],
  ["confirm", "question-accept"],
])("Enter in a box for %s presses %s", async (kind, focused) => {
  await mount(<QuestionBox question={question(kind)} reply={() => undefined} />);
  expect(document.activeElement).toBe(get(focused));
});
