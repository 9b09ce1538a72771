package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// ProposalFile is the file in which a folder proposes a criterion for goals in it.
const ProposalFile = ".goalpost/done.yaml"

// CriterionFile is the content of a criterion file.
type CriterionFile struct {
	Text      string // the whole file, to be shown
	Criterion goal.Criterion
}

// ReadCriterion reads a criterion from a YAML file: checks, a list with the fields of goal.Check, and any. Fields
// that only a user may set (where a check runs, risk, hosts, grants) are refused, and so are unknown ones. The error
// wraps os.ErrNotExist if there is no such file.
func ReadCriterion(file string) (CriterionFile, error) {
	b, err := readBounded(file, "criterion file")
	if err != nil {
		return CriterionFile{}, err
	}
	c, refusal := parseCriterion(b)
	if refusal != nil {
		refusal.Message = file + ": " + refusal.Message
		return CriterionFile{}, refusal
	}
	return CriterionFile{Text: text.ToUTF8(string(b)), Criterion: c}, nil
}

// readBounded reads a file that users write by hand, of at most 64 KiB.
func readBounded(file, what string) ([]byte, error) {
	const maxBytes = 64 << 10
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, invalidCriterion(file+" is not a file", "name a YAML file")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if len(b) > maxBytes {
		return nil, invalidCriterion(file+" is larger than 64 KiB", "shorten it")
	}
	return b, nil
}

func invalidCriterion(message, hint string) *fault.Error {
	return fault.Invalid("criterion", message, hint)
}

// checkFieldTypes describe the types of fields in a criterion file, checkFieldValues the types of JSON values.
var (
	checkFieldTypes = map[reflect.Kind]string{
		reflect.String: "a text",
		reflect.Bool:   "true or false",
		reflect.Int:    "a whole number",
		reflect.Int64:  "a whole number",
		reflect.Slice:  "a list",
		reflect.Struct: "fields with values",
	}
	checkFieldValues = map[string]string{
		"string": "a text",
		"bool":   "true or false",
		"number": "this number",
		"array":  "a list",
		"object": "fields with values",
	}
)

const example = "write checks: as a list, such as - {type: shell, command: make test}"

func parseCriterion(b []byte) (goal.Criterion, *fault.Error) {
	var c goal.Criterion
	var words map[string]any
	d := yaml.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&words); err != nil {
		return c, invalidCriterion("it is not valid YAML: "+strings.TrimPrefix(err.Error(), "yaml: "), example)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return c, invalidCriterion("it contains more than one document", "keep the first one")
	}
	for word := range words {
		switch word {
		case "checks", "any":
		case "where", "hosts", "allow_hosts", "risk", "policy", "allow_tools", "deny_tools", "allow_write", "allow_read",
			"allow_local", "allow_socket", "unconfined", "grants", "work", "check_dir", "check_output", "run_outside":
			return c, invalidCriterion(fmt.Sprintf("it sets %s, which only the user may set", word),
				"remove it, and set it in the dialog or with a flag")
		default:
			return c, invalidCriterion(fmt.Sprintf("it has the unknown field %q", word), "the fields are checks and any")
		}
	}
	if checks, ok := words["checks"].([]any); ok {
		for i, check := range checks {
			if refusal := validateCheckFields(i+1, check); refusal != nil {
				return c, refusal
			}
		}
	}
	c, refusal := decodeChecks(words)
	if refusal != nil {
		return c, refusal
	}
	for i, check := range c.Checks { // in any spelling: JSON reads Where as where
		if check.Where != "" {
			return c, invalidCriterion(fmt.Sprintf("check %d sets where it runs, which only the user may set", i+1),
				"remove where, and set it in the dialog")
		}
	}
	return c, nil
}

// validateCheckFields refuses fields of check n that a file may not set, or that are unknown.
func validateCheckFields(n int, check any) *fault.Error {
	fields, ok := check.(map[string]any)
	if !ok {
		return invalidCriterion(fmt.Sprintf("check %d is not written as fields with values", n), example)
	}
	names := checkFields()
	for _, word := range slices.Sorted(maps.Keys(fields)) {
		switch {
		case strings.EqualFold(word, "where"): // JSON reads Where as where
			return invalidCriterion(fmt.Sprintf("check %d sets where it runs, which only the user may set", n),
				"remove where, and set it when you start the goal")
		case word == "timeout":
			return invalidCriterion(fmt.Sprintf("check %d has the unknown field %q", n, word),
				"write timeout_ms, in milliseconds: timeout_ms: 10000 is ten seconds")
		case !slices.Contains(names, word):
			return invalidCriterion(fmt.Sprintf("check %d has the unknown field %q", n, word), "the fields of a check are "+
				strings.Join(names, ", "))
		}
	}
	return nil
}

// checkFields lists the YAML names of the fields of goal.Check that a file may set.
func checkFields() []string {
	var words []string
	t := reflect.TypeFor[goal.Check]()
	for i := range t.NumField() {
		if word, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); word != "where" {
			words = append(words, word)
		}
	}
	return words
}

// decodeChecks decodes the fields of a criterion file and validates the checks.
func decodeChecks(words map[string]any) (c goal.Criterion, refusal *fault.Error) {
	raw, err := json.Marshal(words)
	if err != nil {
		return c, invalidCriterion("it has keys that are not names", example)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var other *json.UnmarshalTypeError
	err = d.Decode(&c)
	switch {
	case errors.As(err, &other):
		return c, invalidCriterion(fmt.Sprintf("%s must be %s, not %s", other.Field, checkFieldTypes[other.Type.Kind()],
			checkFieldValues[strings.Fields(other.Value)[0]]), example)
	case err != nil:
		return c, invalidCriterion(strings.TrimPrefix(err.Error(), "json: "), example)
	}
	var r *fault.Error
	if err := c.Validate(); errors.As(err, &r) {
		return c, invalidCriterion(r.Message, r.Hint)
	}
	return c, nil
}
