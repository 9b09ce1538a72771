// Package toolbox decides which tools the model of a run is offered: a core from the start, and groups that join
// when the goal needs them. The joined groups follow from the goal and the calls of its conversation, so a resumed
// run offers the same tools in the same order.
package toolbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
	"goalpost/backend/lib/toolschema"
)

// FindTool is the tool with which a model asks for more tools.
const FindTool = "find_tools"

// maxStartBytes limits the size of the tools in a first request. Groups of MCP servers that exceed it wait until the
// model asks for them.
const maxStartBytes = 16 << 10

// maxOffered is how many tools a request may have: OpenAI and Gemini refuse more.
const maxOffered = 128

// Toolbox holds the tools of a run. It is for one goroutine.
type Toolbox struct {
	groups  []group // all but the core: the built-in ones, then those of MCP servers
	byTool  map[string]goal.ToolGroup
	denied  []string // tools that the policy denies: they are not offered
	active  map[goal.ToolGroup]bool
	joined  []goal.ToolGroup // the active groups but the core, in the order in which they joined
	offered []goal.ToolSpec  // at most maxOffered

	rawSchemas map[string]json.RawMessage    // by tool
	schemas    map[string]*toolschema.Schema // those that were needed
}

// group is a group of tools. MCP servers are groups, too.
type group struct {
	name  goal.ToolGroup
	specs []goal.ToolSpec
}

// New returns the toolbox of a goal: the core, and the groups that the goal needs from the start.
func New(specs []goal.ToolSpec, g goal.Goal) *Toolbox {
	b := &Toolbox{
		byTool: map[string]goal.ToolGroup{},
		denied: g.Policy.DenyTools,
		active: map[goal.ToolGroup]bool{goal.CoreTools: true},

		rawSchemas: map[string]json.RawMessage{},
		schemas:    map[string]*toolschema.Schema{},
	}
	for _, s := range specs {
		b.rawSchemas[s.Name] = s.Schema
		b.byTool[s.Name] = s.Group
		if s.Group == goal.CoreTools {
			b.offer(s)
			continue
		}
		i := slices.IndexFunc(b.groups, func(have group) bool { return have.name == s.Group })
		if i < 0 {
			i = len(b.groups)
			b.groups = append(b.groups, group{name: s.Group})
		}
		b.groups[i].specs = append(b.groups[i].specs, s)
	}
	slices.SortStableFunc(b.groups, func(one, other group) int { return groupIndex(one.name) - groupIndex(other.name) })
	for _, name := range neededGroups(g, b.byTool) {
		b.join(name)
	}
	for _, one := range b.groups {
		if !isBuiltIn(one.name) && SpecBytes(b.offered)+SpecBytes(one.specs) <= maxStartBytes &&
			len(b.offered)+len(one.specs) <= maxOffered {
			b.join(one.name)
		}
	}
	return b
}

// OfferAll adds all groups.
func (t *Toolbox) OfferAll() {
	for _, one := range t.groups {
		t.join(one.name)
	}
}

// Offered returns the tools that the model is offered now. New ones are at the end, so that a provider's cache of
// the earlier ones stays valid. If they become too many, those of the MCP server that joined first are left out.
func (t *Toolbox) Offered() []goal.ToolSpec { return t.offered }

// NoteCalls adds the groups that the calls of a reply need: the tool's own group, those that opening a pane needs,
// and those that find_tools asked for.
func (t *Toolbox) NoteCalls(calls []goal.Call) {
	for _, c := range calls {
		t.join(t.byTool[c.Tool])
		for _, name := range groupsByTool[c.Tool] {
			t.join(name)
		}
		if c.Tool == FindTool {
			var args struct {
				Need string `json:"need"`
			}
			if json.Unmarshal([]byte(c.Arguments), &args) == nil {
				for _, one := range t.matchingGroups(args.Need) {
					t.join(one.name)
				}
			}
		}
	}
}

// Find describes the tools that match a need. Without a match, it lists all groups.
func (t *Toolbox) Find(need string) string {
	var lines []string
	for _, one := range t.matchingGroups(need) {
		lines = append(lines, "You have these tools now ("+string(one.name)+"):")
		missing := 0
		for _, s := range one.specs {
			if slices.Contains(t.denied, s.Name) {
				continue
			}
			mark := ""
			if t.active[one.name] && !t.isOffered(s.Name) {
				mark, missing = "* ", missing+1
			}
			lines = append(lines, "- "+mark+s.Name+": "+firstSentence(s.Description))
		}
		if missing > 0 {
			lines = append(lines, fmt.Sprintf("Those with * are not in the list of your tools, which holds %d. They exist: "+
				"call them by name, and a wrong argument is answered with the schema.", maxOffered))
		}
	}
	if len(lines) > 0 {
		return strings.Join(lines, "\n")
	}
	lines = []string{"No group of tools matches. Name one of these groups:"}
	for _, one := range t.groups {
		names := make([]string, 0, len(one.specs))
		for _, s := range one.specs {
			names = append(names, s.Name)
		}
		lines = append(lines, "- "+string(one.name)+": "+strings.Join(names, ", "))
	}
	return strings.Join(lines, "\n")
}

// WaitingGroups names the groups that have not joined, in their order.
func (t *Toolbox) WaitingGroups() []string {
	var list []string
	for _, one := range t.groups {
		if !t.active[one.name] {
			list = append(list, string(one.name))
		}
	}
	return list
}

// LargestWaiting returns the size in bytes of the largest group that has not joined.
func (t *Toolbox) LargestWaiting() int {
	largest := 0
	for _, one := range t.groups {
		if !t.active[one.name] {
			largest = max(largest, SpecBytes(one.specs))
		}
	}
	return largest
}

// SpecBytes returns the size of tools as they are sent to a model.
func SpecBytes(specs []goal.ToolSpec) int {
	n := 0
	for _, s := range specs {
		n += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	return n
}

// join offers a group, as far as it fits.
func (t *Toolbox) join(name goal.ToolGroup) {
	i := slices.IndexFunc(t.groups, func(one group) bool { return one.name == name })
	if i < 0 || t.active[name] {
		return
	}
	specs := slices.DeleteFunc(slices.Clone(t.groups[i].specs), func(s goal.ToolSpec) bool {
		return slices.Contains(t.denied, s.Name)
	})
	for len(t.offered)+len(specs) > maxOffered && t.dropOldestServer() {
		continue
	}
	t.active[name], t.joined = true, append(t.joined, name)
	for _, s := range specs[:min(len(specs), maxOffered-len(t.offered))] {
		t.offer(s)
	}
}

// dropOldestServer leaves out the tools of the MCP server that joined first. It reports false if there is none.
func (t *Toolbox) dropOldestServer() bool {
	i := slices.IndexFunc(t.joined, func(name goal.ToolGroup) bool { return !isBuiltIn(name) })
	if i < 0 {
		return false
	}
	name := t.joined[i]
	t.joined = slices.Delete(t.joined, i, i+1)
	delete(t.active, name)
	// A request that is being sent has the old list.
	t.offered = slices.DeleteFunc(slices.Clone(t.offered), func(s goal.ToolSpec) bool { return s.Group == name })
	return true
}

func (t *Toolbox) isOffered(name string) bool {
	return slices.ContainsFunc(t.offered, func(s goal.ToolSpec) bool { return s.Name == name })
}

func (t *Toolbox) offer(s goal.ToolSpec) {
	if !slices.Contains(t.denied, s.Name) {
		t.offered = append(t.offered, s)
	}
}

// firstSentence returns the first sentence of a description, at most 160 bytes of it.
func firstSentence(description string) string {
	const maxSentence = 160
	if i := strings.Index(description, ". "); i >= 0 {
		description = description[:i+1]
	}
	return text.TruncateBytes(description, maxSentence)
}
