package toolbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/toolschema"
)

// otherNames are names that models use for tools of other agents, without separators and in lower case.
var otherNames = map[string]string{
	"run_command": "bash shell sh zsh cmd powershell terminal execute exec command commandline python code " +
		"executecommand runshellcommand shellcommand localshell runterminalcmd runcode codeinterpreter run",
	"read_file":         "read cat view open openfile viewfile",
	"write_file":        "write create createfile savefile",
	"edit_file":         "edit strreplace replace applypatch strreplaceeditor strreplacebasededittool multiedit patch",
	"list_files":        "ls glob dir tree find listdir listdirectory",
	"search_files":      "grep rg ripgrep search grepsearch codebasesearch",
	"write_todos":       "todo todowrite updateplan plan",
	"fetch_url":         "fetch webfetch curl wget httprequest",
	"browser_open":      "browsernavigate navigate goto openurl",
	"browser_type":      "fill browserfill",
	"claim_complete":    "attemptcompletion finish done complete submit finalanswer",
	"abort_with_report": "giveup fail",
	"ask_user":          "ask askfollowupquestion askuserquestion",
}

// NameCalls gives calls the names of tools that they differ from only in case, separators or a prefix.
func (t *Toolbox) NameCalls(calls []goal.Call) {
	for i := range calls {
		if _, ok := t.byTool[calls[i].Tool]; !ok {
			if names := t.sameName(calls[i].Tool); len(names) == 1 {
				calls[i].Tool = names[0]
			}
		}
	}
}

// HasTool reports whether a name is one of a tool, except for case, separators or a prefix.
func (t *Toolbox) HasTool(name string) bool { return name != "" && len(t.sameName(name)) > 0 }

// sameName returns the tools whose names differ from a name only in case, separators or a prefix.
func (t *Toolbox) sameName(name string) []string {
	plain := toolschema.Plain(name[strings.LastIndexAny(name, ".:/")+1:])
	var whole, ends []string
	for tool := range t.byTool {
		switch one := toolschema.Plain(tool); {
		case one == plain:
			whole = append(whole, tool)
		case plain == toolschema.Plain(lastPart(tool)), one == toolschema.Plain(lastPart(name)):
			ends = append(ends, tool)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return ends
}

// lastPart returns the name of a tool without that of its MCP server.
func lastPart(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		return name[i+len("__"):]
	}
	return name
}

// FitArguments brings the arguments of a call into the form that its tool expects, and returns the names of those that
// the tool does not have.
func (t *Toolbox) FitArguments(c goal.Call) (arguments string, ignored []string) {
	if schema := t.schema(c.Tool); schema != nil {
		return schema.Coerce(c.Arguments)
	}
	if strings.TrimSpace(c.Arguments) == "" {
		return "{}", nil // some models send nothing
	}
	return c.Arguments, nil
}

// schema returns the schema of a tool's arguments, nil if there is none.
func (t *Toolbox) schema(name string) *toolschema.Schema {
	if known, ok := t.schemas[name]; ok {
		return known
	}
	var schema *toolschema.Schema
	if raw, ok := t.rawSchemas[name]; ok {
		schema, _ = toolschema.Parse(raw) // the tool itself reports an error
	}
	t.schemas[name] = schema
	return schema
}

// DescribeUnknown answers a call of a tool that does not exist: with the one that is meant and an example, or else with
// the tools that are offered.
func (t *Toolbox) DescribeUnknown(c goal.Call) string {
	meant := t.meantTool(c.Tool)
	if schema := t.schema(meant); schema != nil {
		fitting, _ := schema.Coerce(c.Arguments)
		return fmt.Sprintf("there is no tool %q: use %s, for example %s", c.Tool, meant, schema.Example(fitting))
	}
	names := make([]string, 0, len(t.offered))
	for _, s := range t.offered {
		names = append(names, s.Name)
	}
	return fmt.Sprintf("there is no tool %q. Yours are: %s", c.Tool, strings.Join(names, ", "))
}

// meantTool returns the tool that a name probably means, "" if none is close.
func (t *Toolbox) meantTool(name string) string {
	plain := toolschema.Plain(name[strings.LastIndexAny(name, ".:/")+1:])
	best, least := "", max(3, len(plain)/3)
	for tool := range t.byTool {
		if slices.Contains(t.denied, tool) {
			continue
		}
		if slices.Contains(strings.Fields(otherNames[tool]), plain) {
			return tool
		}
		distance := editDistance(plain, toolschema.Plain(tool))
		if hasWord(tool, []string{strings.ToLower(name)}) {
			distance = 1
		}
		if distance < least || distance == least && best != "" && cmp.Compare(tool, best) < 0 {
			best, least = tool, distance
		}
	}
	return best
}

// editDistance returns how many letters differ between two names.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := previous
			if a[i] != b[j] {
				change++
			}
			previous = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
