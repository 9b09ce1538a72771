package runner

import "testing"

func TestHasPrintedCall_FormsOfModels_AreRecognized(t *testing.T) {
	isTool := func(name string) bool { return name == "run_command" }
	for reply, want := range map[string]bool{
		"I look.\n<tool_call>\n{\"name\": \"run_command\"}\n</tool_call>":                 true,
		"<|python_tag|>{\"name\": \"run_command\", \"parameters\": {}}":                   true,
		"[TOOL_CALLS][{\"name\": \"run_command\", \"arguments\": {}}]":                    true,
		"<function=run_command>{\"command\": \"ls\"}</function>":                          true,
		"<｜tool▁calls▁begin｜>run_command":                                                 true,
		"<|channel|>commentary to=functions.run_command <|message|>{}":                    true,
		"```tool_code\nrun_command(command='ls')\n```":                                    true,
		"```json\n{\"name\": \"run_command\", \"arguments\": {\"command\": \"ls\"}}\n```": true,
		"{\"name\": \"run_command\", \"parameters\": {\"command\": \"ls\"}}":              true,
		"{\"tool\": \"run_command\", \"input\": {}}":                                      true,
		"{\"name\": \"Ann\", \"arguments\": []}":                                          false,
		"```json\n{\"name\": \"left-pad\", \"version\": \"1.0.0\"}\n```":                  false,
		"I would call run_command with ls.":                                               false,
		"":                                                                                false,
	} {
		if hasPrintedCall(reply, isTool) != want {
			t.Errorf("%q: not %v", reply, want)
		}
	}
}
