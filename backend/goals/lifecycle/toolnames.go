package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// validateToolNames refuses unknown names, because a misspelt name in the list of denied tools would leave that tool
// allowed. It does not check the tools of MCP servers, which are known only while the servers run.
func validateToolNames(p policy.Policy) error {
	if len(p.AllowTools)+len(p.DenyTools) == 0 {
		return nil
	}
	names, err := tools.Names(p.Dir)
	if err != nil {
		return fmt.Errorf("the names of tools: %w", err)
	}
	if err := validateToolName(names, "allow_tools", p.AllowTools); err != nil {
		return err
	}
	return validateToolName(names, "deny_tools", p.DenyTools)
}

func validateToolName(names []string, field string, list []string) error {
	for _, name := range list {
		if slices.Contains(names, name) || strings.Contains(name, mcp.NameSeparator) {
			continue
		}
		hint := "docs/tools.md names them all; those of an MCP server are SERVER" + mcp.NameSeparator + "TOOL"
		if near := closestName(name, names); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return &fault.Error{Field: field, Message: fmt.Sprintf("there is no tool %q", name), Hint: hint}
	}
	return nil
}

// closestName returns the name with the longest common prefix with input, "" if no prefix is half as long as input.
func closestName(input string, names []string) string {
	best, longest := "", len(input)/2
	for _, name := range names {
		n := 0
		for n < len(name) && n < len(input) && name[n] == input[n] {
			n++
		}
		if n > longest || n == longest && n > 0 && best == "" {
			best, longest = name, n
		}
	}
	return best
}
