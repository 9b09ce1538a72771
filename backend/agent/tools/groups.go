package tools

import (
	"slices"

	"goalpost/backend/domain/goal"
)

// groups are the tools that a model is not offered from the start. All other tools are the core, which has at most 23
// tools and 16 KB.
var groups = map[goal.ToolGroup][]string{
	goal.BrowserTools: {
		"browser_snapshot", "browser_click", "browser_type", "browser_press", "browser_select", "browser_check",
		"browser_wait", "browser_read", "browser_find", "browser_scroll", "browser_history", "browser_dialog",
		"browser_hover", "browser_drag", "browser_click_at", "browser_screenshot", "browser_eval", "browser_console",
		"browser_network", "browser_cookies", "browser_upload", "browser_download", "browser_save",
	},
	goal.PaneTools: {
		"list_panes", "close_pane", "focus_pane", "name_pane", "terminal_type", "terminal_keys", "wait",
		"wait_until",
	},
	goal.GoalTools:   {"start_goal", "goal_status", "wait_for_goal", "share_note"},
	goal.RecipeTools: {"save_recipe", "run_recipe"},
	goal.LoginTools:  {"browser_login"},
	goal.VisionTools: {"look"},
	goal.StepTools:   {"declare_step", "verify_step"},
}

// groupOf returns the group of a tool.
func groupOf(name string) goal.ToolGroup {
	for group, names := range groups {
		if slices.Contains(names, name) {
			return group
		}
	}
	return goal.CoreTools
}
