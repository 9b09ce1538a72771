package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/shell"
	"goalpost/backend/lib/text"
)

// TerminalProfile is how a terminal of the user starts. What is empty is as in any other terminal.
type TerminalProfile struct {
	Name string `json:"name"`
	// Command is a shell or another program with its arguments, in quotes as a shell needs them.
	Command string `json:"command"`
	// Dir is the folder, absolute or beginning with ~/.
	Dir string `json:"dir"`
	// Env are more variables, as NAME=value. Put no secrets here.
	Env []string `json:"env"`
	// ColorScheme is the name of a color scheme.
	ColorScheme string `json:"color_scheme"`
	// Default is true for the one of terminals that are opened without a choice.
	Default bool `json:"default"`
}

// TerminalProfiles lists the user's terminal profiles by name.
func (c *Config) TerminalProfiles() []TerminalProfile {
	return slices.Clone(c.current().TerminalProfiles)
}

// TerminalProfile returns the terminal profile with a name; for "" the default one, and false if there is none.
func (c *Config) TerminalProfile(name string) (TerminalProfile, bool) {
	list := c.current().TerminalProfiles
	i := slices.IndexFunc(list, func(p TerminalProfile) bool { return p.Name == name || name == "" && p.Default })
	if i < 0 {
		return TerminalProfile{}, false
	}
	return list[i], true
}

// SaveTerminalProfile adds a terminal profile, or replaces the one that was named so. The caller checks that its folder
// and program exist.
func (c *Config) SaveTerminalProfile(was string, p TerminalProfile) error {
	if err := p.Validate(); err != nil {
		return err
	}
	return c.change(func(f *file) error {
		if err := f.validateColorScheme(p.ColorScheme); err != nil {
			return err
		}
		list := slices.Clone(f.TerminalProfiles)
		if was != "" {
			list = slices.DeleteFunc(list, func(have TerminalProfile) bool { return have.Name == was })
		}
		for i := range list {
			if list[i].Name == p.Name {
				return fault.Invalid("name", fmt.Sprintf("there is a terminal profile %q already", p.Name), "choose another name")
			}
			list[i].Default = list[i].Default && !p.Default
		}
		list = append(list, p)
		slices.SortFunc(list, func(a, b TerminalProfile) int { return strings.Compare(a.Name, b.Name) })
		f.TerminalProfiles = list
		return nil
	})
}

// DeleteTerminalProfile removes a terminal profile. Its terminals stay until they are closed.
func (c *Config) DeleteTerminalProfile(name string) error {
	return c.change(func(f *file) error {
		i := slices.IndexFunc(f.TerminalProfiles, func(p TerminalProfile) bool { return p.Name == name })
		if i < 0 {
			return fault.Invalid("name", fmt.Sprintf("there is no terminal profile %q", name), "the settings list them")
		}
		f.TerminalProfiles = slices.Delete(slices.Clone(f.TerminalProfiles), i, i+1)
		return nil
	})
}

// Validate refuses a terminal profile that cannot work on any computer.
func (p TerminalProfile) Validate() error {
	if p.Name == "" || p.Name != text.SanitizeLine(p.Name, maxSchemeName) || strings.TrimSpace(p.Name) != p.Name {
		return fault.Invalid("name", "the terminal profile has no name, or one that cannot be shown",
			fmt.Sprintf("enter a name of up to %d characters", maxSchemeName))
	}
	if strings.ContainsFunc(p.Command, unicode.IsControl) {
		return fault.Invalid("command", "the command has control characters", "enter it as one line")
	}
	if _, err := shell.SimpleCommand(p.Command); p.Command != "" && err != nil {
		return fault.Invalid("command", fmt.Sprintf("the command cannot be read: %v", err),
			"enter a program with its arguments; for variables, pipes and the like use sh -c '…'")
	}
	for _, e := range p.Env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || !variableForm.MatchString(name) || strings.ContainsRune(value, 0) {
			return fault.Invalid("env", fmt.Sprintf("%.60q is not a variable", e), "enter one in each line, as NAME=value")
		}
	}
	return nil
}
