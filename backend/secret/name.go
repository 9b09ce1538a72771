package secret

import (
	"fmt"
	"regexp"
	"strings"
)

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// Sizes of a value in bytes. A shorter one would mask ordinary words; a longer
// one does not fit in every keyring.
const (
	minValue = 6
	maxValue = 2000
	minWord  = 16 // of small letters alone
)

// InvalidError refuses a name, a value or an origin of the user.
type InvalidError struct{ Field, Message, Hint string }

func (e *InvalidError) Error() string { return e.Message }

// ValidName refuses what cannot stand in a reference.
func ValidName(name string) error {
	if !nameForm.MatchString(name) {
		return &InvalidError{"name", fmt.Sprintf("%q cannot be the name of a secret", name), "use a letter, then letters, digits, dots, dashes and underscores, 64 at most"}
	}
	return nil
}

func validValue(field, value string) error {
	switch {
	case len(value) < minValue:
		return &InvalidError{field, fmt.Sprintf("the value has fewer than %d bytes", minValue), "so short a value cannot be masked without hiding ordinary words"}
	case len(value) > maxValue:
		return &InvalidError{field, fmt.Sprintf("the value has more than %d bytes", maxValue), "the system's keyrings take no more"}
	case strings.ContainsRune(value, 0):
		return &InvalidError{field, "the value has a NUL byte in it", "give text"}
	case len(strings.TrimSpace(value)) < minValue:
		return &InvalidError{field, "the value is blank", ""}
	case len(value) < minWord && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_") == "":
		return &InvalidError{field, "the value is one ordinary word, which would be hidden wherever it stands", "take one with a digit, a capital letter or a sign in it"}
	}
	return nil
}
