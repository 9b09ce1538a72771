package goal

// ToolGroup names tools that are offered to a model together.
type ToolGroup string

// The groups of the built-in tools. The tools of an MCP server form a group with its name.
const (
	CoreTools    ToolGroup = "" // offered from the start
	BrowserTools ToolGroup = "browser"
	PaneTools    ToolGroup = "panes"
	GoalTools    ToolGroup = "goals"
	RecipeTools  ToolGroup = "recipes"
	LoginTools   ToolGroup = "logins"
	VisionTools  ToolGroup = "vision"
	StepTools    ToolGroup = "steps"
)
