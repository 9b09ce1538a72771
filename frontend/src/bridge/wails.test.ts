import { expect, test } from "vitest";
import { CallError } from "./problem";
import { windowCall } from "./wails";

/**
 * Returns the rejection of a call through the window, when Go's formatter returned this text: Wails makes an Error of
 * it.
 */
async function refusedWith(text: string): Promise<CallError> {
  const call = windowCall(() => Promise.reject(new Error(text)));
  const reason: unknown = await call("GoalAPI.Pause", "g1").then(
    () => expect.fail("the call was not refused"),
    (reason: unknown) => reason,
  );
  if (!(reason instanceof CallError)) throw new Error(`rejected with ${String(reason)}`);
  return reason;
}

test("a refused call carries its code, message, hint and field, as over the socket", async () => {
  const problem = { code: "refused", message: 'no "model"', hint: "add one <here>\nor there", field: "provider" };
  const error = await refusedWith(JSON.stringify(problem));
  expect(error.problem).toEqual(problem);
  expect(error.message).toBe(problem.message);
});

test.each([
  "error parsing arguments: unexpected end of JSON input",
  '{"code":"refused","message":"cut of',
  '{"reason":"another shape"}',
  "[1,2]",
  "null",
  "7",
])("text that is no problem is shown as it is: %s", async (text) => {
  const { problem } = await refusedWith(text);
  expect(problem).toEqual({ code: "internal", message: text, hint: "", field: "" });
});

test("an error without words still says something", async () => {
  const { problem } = await refusedWith("");
  expect(problem.message).toBe("the call failed without a reason");
});
