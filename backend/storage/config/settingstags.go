package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"goalpost/backend/lib/fault"
)

// setting is one field of Settings with what its tags say.
type setting struct {
	key    string
	typ    reflect.Type
	index  []int    // for reflect
	values []string // the words that are allowed, nil for any; the first may be ""
	empty  string   // what "" means
	min    float64
	max    float64 // with min: the range of a number
	zero   string  // what 0 is for if it is allowed besides, "" if it is not
	hasMax bool
}

// settingFields returns the fields of Settings in their order.
func settingFields() []setting {
	var list []setting
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || key == "" {
			continue
		}
		one := setting{key: key, typ: f.Type, index: f.Index, zero: f.Tag.Get("zero"), empty: f.Tag.Get("empty")}
		if words := f.Tag.Get("values"); words != "" {
			one.values = strings.Fields(words)
			if one.empty != "" {
				one.values = slices.Insert(one.values, 0, "")
			}
		}
		if low, high, ok := strings.Cut(f.Tag.Get("range"), " "); ok {
			one.min, one.max, one.hasMax = number(low), number(high), true
		}
		list = append(list, one)
	}
	return list
}

// number parses a number of a tag.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// validateTags refuses what the tags of a field do not allow.
func validateTags(s Settings) error {
	of := reflect.ValueOf(s)
	for _, f := range settingFields() {
		if err := f.validate(of.FieldByIndex(f.index)); err != nil {
			return err
		}
	}
	return nil
}

func (s setting) validate(v reflect.Value) error {
	name := strings.ReplaceAll(s.key, "_", " ")
	if s.values != nil && !slices.Contains(s.values, v.String()) {
		return fault.Invalid(s.key, fmt.Sprintf("unknown %s %.100q", name, v.String()), s.describeValues())
	}
	if !s.hasMax {
		return nil
	}
	n := v.Convert(reflect.TypeFor[float64]()).Float()
	if n >= s.min && n <= s.max || n == 0 && s.zero != "" {
		return nil
	}
	hint := fmt.Sprintf("use %s to %s", plainNumber(s.min), plainNumber(s.max))
	if s.zero != "" {
		hint += ", or 0 " + s.zero
	}
	return fault.Invalid(s.key, fmt.Sprintf("%s is out of range for %s", plainNumber(n), name), hint)
}

// describeValues says which words are allowed.
func (s setting) describeValues() string {
	words := slices.DeleteFunc(slices.Clone(s.values), func(w string) bool { return w == "" })
	last := len(words) - 1
	hint := "use " + strings.Join(words[:last], ", ") + " or " + words[last]
	if s.empty != "" {
		hint += ", or leave it empty for " + s.empty
	}
	return hint
}

// plainNumber formats a number without an exponent.
func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// resetSetting gives the setting with a key its default value, and reports whether there is one.
func resetSetting(s *Settings, key string) bool {
	all := settingFields()
	i := slices.IndexFunc(all, func(f setting) bool { return f.key == key })
	if i < 0 {
		return false
	}
	reflect.ValueOf(s).Elem().FieldByIndex(all[i].index).Set(reflect.ValueOf(defaultSettings()).FieldByIndex(all[i].index))
	return true
}
