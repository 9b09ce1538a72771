package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// iTermFile is a property list as iTerm2 exports it, in which all colors have the same green.
func iTermFile(skip string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>`)
	add := func(name string, red float64) {
		if name == skip {
			return
		}
		fmt.Fprintf(&b, `<key>%s</key><dict><key>Alpha Component</key><real>1</real><key>Blue Component</key><real>0.5</real>
<key>Color Space</key><string>sRGB</string><key>Green Component</key><integer>1</integer>
<key>Red Component</key><real>%v</real></dict>`, name, red)
	}
	for i := range 16 {
		add(fmt.Sprintf("Ansi %d Color", i), float64(i)/16)
	}
	add("Background Color", 0)
	add("Foreground Color", 0.8)
	add("Selection Color", 0.2)
	b.WriteString(`</dict></plist>`)
	return b.String()
}

const base16File = `system: "base16"
name: "Evening"
author: "someone"
variant: "dark"
palette:
  base00: "101010"
  base01: "#202020"
  base02: 303030
  base03: "404040"
  base04: "505050"
  base05: "606060"
  base06: "707070"
  base07: "808080"
  base08: "AA0000"
  base09: "909090"
  base0A: "aaaa00"
  base0B: "00aa00"
  base0C: "00aaaa"
  base0D: 0000aa
  base0E: "aa00aa"
  base0F: "a0a0a0"
`

func TestColorSchemes_BuiltIn_AreTwelveComplete(t *testing.T) {
	names := map[string]bool{}
	for _, s := range builtInSchemes() {
		names[s.Name] = true
		if err := s.validate(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if len(names) != 12 {
		t.Errorf("%d color schemes, want 12", len(names))
	}
	licences, err := os.ReadFile("../../../docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !strings.Contains(string(licences), "| "+name+" |") {
			t.Errorf("docs/licences.md does not name the color scheme %s", name)
		}
	}
}

func TestParseColorScheme_ITerm2_HasItsColors(t *testing.T) {
	s, err := parseColorScheme("/home/me/My scheme.itermcolors", []byte("\xef\xbb\xbf"+iTermFile("")))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(s.Name, s.Background, s.Foreground, s.Cursor, s.Selection, s.Colors[0], s.Colors[8], s.Colors[15])
	want := fmt.Sprint("My scheme", "#00ff80", "#ccff80", "#ccff80", "#33ff80", "#00ff80", "#80ff80", "#efff80")
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseColorScheme_Base16_HasItsColors(t *testing.T) {
	old := strings.ReplaceAll(strings.Replace(base16File, "palette:\n", "", 1), "  base", "base")
	old = strings.Replace(old, "name:", "scheme:", 1)
	for _, content := range []string{base16File, old} {
		s, err := parseColorScheme("evening.yaml", []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != "Evening" || s.Background != "#101010" || s.Foreground != "#606060" || s.Selection != "#303030" {
			t.Errorf("got %+v", s)
		}
		want := "#101010 #aa0000 #00aa00 #aaaa00 #0000aa #aa00aa #00aaaa #606060 " +
			"#404040 #aa0000 #00aa00 #aaaa00 #0000aa #aa00aa #00aaaa #808080"
		if got := strings.Join(s.Colors, " "); got != want {
			t.Errorf("got %s", got)
		}
	}
	var more strings.Builder
	more.WriteString(base16File)
	for i := range 8 {
		fmt.Fprintf(&more, "  base1%d: \"f0f0f%d\"\n", i, i)
	}
	s, err := parseColorScheme("night.yaml", []byte(more.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Colors[8:], " "); got !=
		"#404040 #f0f0f2 #f0f0f4 #f0f0f3 #f0f0f6 #f0f0f7 #f0f0f5 #808080" {
		t.Errorf("the bright colors of base24 are %s", got)
	}
}

func TestParseColorScheme_BadFile_SaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"empty":      {"", "it has no color base00"},
		"text":       {"hello", "it is neither an XML property list nor YAML"},
		"binary":     {"bplist00\x00", "binary property list"},
		"picture":    {"\x89PNG\r\n\x1a\n", "it is neither an XML property list nor YAML"},
		"cut":        {iTermFile("")[:900], "it is not a property list"},
		"other list": {"<plist><dict><key>a</key><string>b</string></dict></plist>", `it has no "Background Color"`},
		"missing":    {iTermFile("Ansi 7 Color"), `it has no "Ansi 7 Color"`},
		"out of range": {
			strings.Replace(iTermFile(""), "0.9375", "800", 1),
			`"Ansi 15 Color" has a "Red Component" outside of 0 to 1`,
		},
		"no component": {
			strings.Replace(iTermFile(""), "Blue Component", "Blau", 1),
			`"Ansi 0 Color" has no "Blue Component"`,
		},
		"other encoding": {`<?xml version="1.0" encoding="UTF-16"?><plist/>`, "not UTF-8"},
		"missing base":   {strings.Replace(base16File, "base0D", "base0d", 1), "it has no color base0D"},
		"no color":       {strings.Replace(base16File, `"aaaa00"`, "yellow", 1), `its base0A is "yellow"`},
		"nested":         {strings.Replace(base16File, `"aaaa00"`, "[1]", 1), `its base0A is ""`},
		"large":          {strings.Repeat("#", maxSchemeFile+1), "larger than 1 MiB"},
		"bomb": {"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n", "it has no color base00"},
	} {
		_, err := parseColorScheme(name, []byte(c.content))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestColorSchemes_ImportAndRemove_AreKeptInTheFile(t *testing.T) {
	dir := t.TempDir()
	c := openIn(t, dir)
	s, err := c.ImportColorScheme("evening.yaml", []byte(base16File))
	if err != nil || s.Name != "Evening" || !s.Imported {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err = c.ImportColorScheme("nord.yaml", []byte(strings.Replace(base16File, "Evening", "nord", 1))); err != nil ||
		s.Name != "nord (imported)" {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := c.ImportColorScheme("again.yaml", []byte(base16File)); err != nil {
		t.Fatal(err)
	}
	set := c.Settings()
	set.ColorScheme = "Evening"
	if err := c.SaveSettings(set); err != nil {
		t.Fatal(err)
	}
	set.ColorScheme = "Morning"
	if err := c.SaveSettings(set); err == nil || !strings.Contains(err.Error(), `no color scheme "Morning"`) {
		t.Errorf("an unknown color scheme: %v", err)
	}

	again := openIn(t, dir)
	list := again.ColorSchemes()
	if len(list) != 14 || list[12].Name != "Evening" || !list[12].Imported || list[0].Imported {
		t.Fatalf("after a restart: %+v", list)
	}
	if err := again.DeleteColorScheme("Evening"); err != nil {
		t.Fatal(err)
	}
	if got := c.Settings().ColorScheme; got != "" || len(c.ColorSchemes()) != 13 {
		t.Errorf("after the removal the color scheme is %q of %d", got, len(c.ColorSchemes()))
	}
	if err := again.DeleteColorScheme("Nord"); err == nil {
		t.Error("a built-in color scheme was removed")
	}
}

func openIn(t *testing.T, dir string) *Config {
	t.Helper()
	c, err := Open(func(name string) string { return map[string]string{HomeVariable: dir}[name] })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}
