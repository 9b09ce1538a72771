package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"goalpost/backend/lib/text"
)

// GoalFilter is a saved filter of the list of goals. The page leaves out values that it does not know.
type GoalFilter struct {
	Name string `json:"name"`
	// Search is the text of the search field.
	Search string `json:"search,omitempty"`
	// Status is a group of goals, such as needs_you or done; empty is all.
	Status string `json:"status,omitempty"`
	// Folders are the folders of which one must be the goal's; none is all.
	Folders []string `json:"folders,omitempty"`
	// Models are the engines and models of which one must be the goal's; none is all.
	Models []string `json:"models,omitempty"`
	// Today is finished or spent, for the goals that did so today; empty is all.
	Today string `json:"today,omitempty"`
}

// Limits of saved filters. A text is a search, a folder or a model, in bytes.
const (
	maxFilters      = 50
	maxFilterName   = 60 // letters
	maxFilterValues = 100
	maxFilterText   = 4096
)

// invalidGoalFilter says what is wrong with the saved filters, "" if nothing is.
func (s Settings) invalidGoalFilter() string {
	if len(s.GoalFilters) > maxFilters {
		return fmt.Sprintf("%d filters are too many", len(s.GoalFilters))
	}
	names := map[string]bool{}
	for _, f := range s.GoalFilters {
		switch {
		case !isFilterName(f.Name):
			return fmt.Sprintf("%.100q is not a name for a filter", f.Name)
		case names[f.Name]:
			return fmt.Sprintf("there are two filters with the name %q", f.Name)
		case f.isTooLong():
			return fmt.Sprintf("the filter %q is too long", f.Name)
		}
		names[f.Name] = true
	}
	return ""
}

func isFilterName(name string) bool {
	isOdd := func(r rune) bool { return unicode.IsControl(r) || text.IsInvisible(r) }
	return name != "" && name == strings.TrimSpace(name) && utf8.ValidString(name) &&
		utf8.RuneCountInString(name) <= maxFilterName && !strings.ContainsFunc(name, isOdd)
}

func (f GoalFilter) isTooLong() bool {
	if len(f.Folders) > maxFilterValues || len(f.Models) > maxFilterValues {
		return true
	}
	texts := slices.Concat([]string{f.Search, f.Status, f.Today}, f.Folders, f.Models)
	return slices.ContainsFunc(texts, func(t string) bool { return len(t) > maxFilterText })
}
