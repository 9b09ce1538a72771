package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// ColorScheme is what the colors of terminals are, each as #rrggbb.
type ColorScheme struct {
	Name       string `json:"name"`
	Background string `json:"background"`
	Foreground string `json:"foreground"`
	Cursor     string `json:"cursor"`
	Selection  string `json:"selection"`
	// Colors are the 16 colors that programs choose by number: black, red, green, yellow, blue, magenta, cyan, white,
	// and the bright ones.
	Colors []string `json:"colors"`
	// Imported is true if the user imported it. It is not stored.
	Imported bool `json:"imported,omitempty"`
}

// maxSchemes is how many color schemes may be imported.
const maxSchemes = 200

// maxSchemeName is the length of the longest name of a color scheme.
const maxSchemeName = 60

var hexColor = text.NewPattern(`^#[0-9a-f]{6}$`)

// ColorSchemes lists the built-in color schemes and then the imported ones, each by name.
func (c *Config) ColorSchemes() []ColorScheme {
	f := c.current()
	return slices.Concat(builtInSchemes(), f.importedSchemes())
}

// importedSchemes returns those of the file. One that a user damaged there is left out.
func (f *file) importedSchemes() []ColorScheme {
	var list []ColorScheme
	for _, s := range f.ColorSchemes {
		if s.validate() != nil {
			continue
		}
		s.Imported = true
		list = append(list, s)
	}
	return list
}

// ImportColorScheme adds the color scheme of a file. It replaces an imported one with the same name.
func (c *Config) ImportColorScheme(fileName string, content []byte) (ColorScheme, error) {
	s, err := parseColorScheme(fileName, content)
	if err != nil {
		return ColorScheme{}, err
	}
	if slices.ContainsFunc(builtInSchemes(), func(b ColorScheme) bool { return strings.EqualFold(b.Name, s.Name) }) {
		s.Name += " (imported)"
	}
	err = c.change(func(f *file) error {
		list := slices.Clone(f.ColorSchemes)
		i, found := slices.BinarySearchFunc(list, s.Name, func(have ColorScheme, name string) int {
			return strings.Compare(have.Name, name)
		})
		switch {
		case found:
			list[i] = s
		case len(list) >= maxSchemes:
			return fault.New(fault.Conflict, fmt.Sprintf("there are %d imported color schemes already", maxSchemes),
				"remove one first")
		default:
			list = slices.Insert(list, i, s)
		}
		f.ColorSchemes = list
		return nil
	})
	s.Imported = true
	return s, err
}

// DeleteColorScheme removes an imported color scheme. Terminals that had it follow the theme.
func (c *Config) DeleteColorScheme(name string) error {
	return c.change(func(f *file) error {
		i := slices.IndexFunc(f.ColorSchemes, func(s ColorScheme) bool { return s.Name == name })
		if i < 0 {
			return fault.Invalid("name", fmt.Sprintf("there is no imported color scheme %q", name),
				"it was removed already, or it is built in")
		}
		f.ColorSchemes = slices.Delete(slices.Clone(f.ColorSchemes), i, i+1)
		if f.Settings.ColorScheme == name {
			f.Settings.ColorScheme = ""
		}
		f.TerminalProfiles = slices.Clone(f.TerminalProfiles)
		for i := range f.TerminalProfiles {
			if p := &f.TerminalProfiles[i]; p.ColorScheme == name {
				p.ColorScheme = ""
			}
		}
		return nil
	})
}

// validateColorScheme refuses the name of a color scheme that does not exist; "" follows the theme.
func (f *file) validateColorScheme(name string) error {
	is := func(s ColorScheme) bool { return s.Name == name }
	if name == "" || slices.ContainsFunc(builtInSchemes(), is) || slices.ContainsFunc(f.ColorSchemes, is) {
		return nil
	}
	return fault.Invalid("color_scheme", fmt.Sprintf("there is no color scheme %q", name),
		"choose one that the settings list, or import it")
}

func (s ColorScheme) validate() error {
	all := append([]string{s.Background, s.Foreground, s.Cursor, s.Selection}, s.Colors...)
	isWrong := func(color string) bool { return !hexColor.MatchString(color) }
	if len(s.Colors) != 16 || slices.ContainsFunc(all, isWrong) {
		return fault.Invalid("colors", "a color of the scheme is not #rrggbb, or there are not 16 of them", "import it again")
	}
	if s.Name == "" || utf8.RuneCountInString(s.Name) > maxSchemeName+len(" (imported)") {
		return fault.Invalid("name", "the color scheme has no name, or a long one", "name its file")
	}
	return nil
}
