package runner

import (
	"encoding/json"
	"strings"

	"goalpost/backend/lib/text"
)

// callMarks are what models write around a call if their server does not recognize it: Qwen and Hermes, Llama, Mistral,
// DeepSeek, Kimi, gpt-oss, Gemma, Claude and Phi.
var callMarks = text.NewPattern(`<tool_call>|<\|?tool_calls?\|?>|<\|python_tag\|>|\[TOOL_CALLS\]|<function=\w|` +
	`<｜tool▁calls?▁begin｜>|<\|tool_calls_section_begin\|>|to=functions\.\w|(?m)^` + "```tool_code" +
	`|<invoke name=|<function_calls>|functools\[`)

// hasPrintedCall reports whether a reply without calls contains one as text. isTool says whether a name is one of a
// tool.
func hasPrintedCall(reply string, isTool func(string) bool) bool {
	if callMarks.MatchString(reply) {
		return true
	}
	for _, block := range append([]string{reply}, fencedBlocks(reply)...) {
		var call struct {
			Name       string          `json:"name"`
			Tool       string          `json:"tool"`
			Arguments  json.RawMessage `json:"arguments"`
			Parameters json.RawMessage `json:"parameters"`
			Input      json.RawMessage `json:"input"`
		}
		block = strings.Trim(strings.TrimSpace(block), "[]")
		if json.Unmarshal([]byte(block), &call) == nil && (isTool(call.Name) || isTool(call.Tool)) &&
			len(call.Arguments)+len(call.Parameters)+len(call.Input) > 0 {
			return true
		}
	}
	return false
}

// fencedBlocks returns the contents of code blocks.
func fencedBlocks(reply string) []string {
	parts := strings.Split(reply, "```")
	var blocks []string
	for i := 1; i < len(parts); i += 2 {
		_, content, _ := strings.Cut(parts[i], "\n")
		blocks = append(blocks, content)
	}
	return blocks
}

// printedCall tells the model what was wrong with its reply.
const printedCall = "there was a tool call in the text of the reply, which the model's server did not recognize"

// missingParser tells the user what to do about it.
const missingParser = ". The server lacks the tool parser of this model. Start vLLM with --enable-auto-tool-choice " +
	"and --tool-call-parser, llama.cpp with --jinja, or choose an Ollama model whose page says that it has tools"
