package config

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// maxSchemeFile is the size of the largest file of a color scheme that is read.
const maxSchemeFile = 1 << 20

// parseColorScheme reads the file of a color scheme: a property list of iTerm2, or a base16 or base24 scheme in YAML.
func parseColorScheme(fileName string, content []byte) (ColorScheme, error) {
	var s ColorScheme
	var err error
	start := bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
	switch {
	case len(content) > maxSchemeFile:
		err = errors.New("it is larger than 1 MiB")
	case bytes.HasPrefix(start, []byte("bplist")):
		return s, fault.Invalid("file", schemeFile(fileName)+" cannot be imported: it is a binary property list",
			"convert it with `plutil -convert xml1 FILE`, and import it again")
	case bytes.HasPrefix(start, []byte("<")):
		s, err = parseITerm(start)
	default:
		s, err = parseBase16(start)
	}
	if err != nil {
		return s, fault.Invalid("file", fmt.Sprintf("%s cannot be imported: %s", schemeFile(fileName), err),
			"choose an .itermcolors file of iTerm2, or the .yaml file of a base16 or base24 scheme")
	}
	if s.Name = text.SanitizeLine(s.Name, maxSchemeName); s.Name == "" {
		base := filepath.Base(fileName)
		s.Name = text.SanitizeLine(strings.TrimSuffix(base, filepath.Ext(base)), maxSchemeName)
	}
	return s, s.validate()
}

func schemeFile(name string) string { return text.SanitizeLine(filepath.Base(name), maxSchemeName) }

// parseITerm reads the colors of a property list in XML.
func parseITerm(content []byte) (ColorScheme, error) {
	colors, err := readPropertyList(content)
	if err != nil {
		return ColorScheme{}, err
	}
	var missing []string
	get := func(key string) string {
		if colors[key] == "" {
			missing = append(missing, key)
		}
		return colors[key]
	}
	s := ColorScheme{Background: get("Background Color"), Foreground: get("Foreground Color")}
	for i := range 16 {
		s.Colors = append(s.Colors, get(fmt.Sprintf("Ansi %d Color", i)))
	}
	if len(missing) > 0 {
		return s, fmt.Errorf("it has no %q", missing[0])
	}
	s.Cursor, s.Selection = colors["Cursor Color"], colors["Selection Color"]
	return s.complete(), nil
}

// complete gives a scheme without a cursor or a selection those that are always seen.
func (s ColorScheme) complete() ColorScheme {
	if s.Cursor == "" {
		s.Cursor = s.Foreground
	}
	if s.Selection == "" {
		s.Selection = s.Colors[8]
	}
	return s
}

// readPropertyList returns the colors of a property list by their names.
func readPropertyList(content []byte) (map[string]string, error) {
	d := xml.NewDecoder(bytes.NewReader(content))
	d.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("its encoding %q is not UTF-8", text.SanitizeLine(charset, 20))
	}
	colors := map[string]string{}
	var key, name string // of the innermost dictionary, and of the color around it
	var parts map[string]float64
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("it is not a property list: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "dict":
				if depth++; depth == 2 {
					name, parts = key, map[string]float64{}
				}
			case "key", "real", "integer":
				var value string
				if err := d.DecodeElement(&value, &t); err != nil {
					return nil, fmt.Errorf("it is not a property list: %w", err)
				}
				if t.Name.Local == "key" {
					key = value
				} else if n, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && depth == 2 {
					parts[key] = n
				}
			}
		case xml.EndElement:
			if t.Name.Local != "dict" {
				continue
			}
			if depth == 2 && strings.HasSuffix(name, " Color") {
				if colors[name], err = hexOf(parts); err != nil {
					return nil, fmt.Errorf("its %q %w", text.SanitizeLine(name, 40), err)
				}
			}
			depth--
		}
	}
	return colors, nil
}

// hexOf returns the color of three components between 0 and 1.
func hexOf(parts map[string]float64) (string, error) {
	hex := "#"
	for _, name := range []string{"Red", "Green", "Blue"} {
		n, ok := parts[name+" Component"]
		if !ok {
			return "", fmt.Errorf("has no %q", name+" Component")
		}
		if !(n >= 0 && n <= 1) {
			return "", fmt.Errorf("has a %q outside of 0 to 1", name+" Component")
		}
		hex += fmt.Sprintf("%02x", int(n*255+0.5))
	}
	return hex, nil
}

// base16Palette are the names of the colors of base16, and those that base24 adds.
var base16Palette = regexp.MustCompile(`^base[01][0-9A-F]$`)

// base16Order and base24Bright say which color of the palette has a number of a terminal, as the templates of the
// format have it.
const (
	base16Order  = "00 08 0B 0A 0D 0E 0C 05 03 08 0B 0A 0D 0E 0C 07"
	base24Bright = "03 12 14 13 16 17 15 07"
)

// parseBase16 reads a scheme in YAML, with the palette in a map of its own or beside its name.
func parseBase16(content []byte) (ColorScheme, error) {
	var doc struct {
		Name    string               `yaml:"name"`
		Scheme  string               `yaml:"scheme"`
		Palette map[string]yaml.Node `yaml:"palette"`
		Beside  map[string]yaml.Node `yaml:",inline"`
	}
	if err := yaml.Unmarshal(content, &doc); err != nil {
		return ColorScheme{}, errors.New("it is neither an XML property list nor YAML with the colors base00 to base0F")
	}
	if doc.Palette == nil {
		doc.Palette = doc.Beside
	}
	palette := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(doc.Palette)) {
		value := strings.ToLower("#" + strings.TrimPrefix(doc.Palette[key].Value, "#"))
		if !base16Palette.MatchString(key) {
			continue
		}
		if !hexColor.MatchString(value) {
			return ColorScheme{}, fmt.Errorf("its %s is %q, not a color such as 1d2021", key,
				text.SanitizeLine(doc.Palette[key].Value, 20))
		}
		palette[key] = value
	}
	order := strings.Fields(base16Order)
	if palette["base12"] != "" {
		order = append(order[:8], strings.Fields(base24Bright)...)
	}
	var s ColorScheme
	for _, n := range append(order, "02") {
		color, ok := palette["base"+n]
		if !ok {
			return s, fmt.Errorf("it has no color base%s", n)
		}
		s.Colors = append(s.Colors, color)
	}
	s.Selection, s.Colors = s.Colors[16], s.Colors[:16]
	s.Name, s.Background, s.Foreground, s.Cursor = doc.Name, palette["base00"], palette["base05"], palette["base05"]
	if s.Name == "" {
		s.Name = doc.Scheme
	}
	return s, nil
}
