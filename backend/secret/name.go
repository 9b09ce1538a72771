package secret

import (
	"fmt"
	"regexp"
	"strings"

	"goalpost/backend/fault"
)

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// Sizes of a value in bytes. A shorter one would mask ordinary words; a longer
// one does not fit in every keyring.
const (
	minValue = 6
	maxValue = 2000
	minWord  = 16 // of small letters alone
)

// ValidName refuses what cannot stand in a reference.
func ValidName(name string) error {
	if !nameForm.MatchString(name) {
		return &fault.Error{Field: "name", Message: fmt.Sprintf("%q cannot be the name of a secret", name), Hint: "use a letter, then letters, digits, dots, dashes and underscores, 64 at most"}
	}
	return nil
}

func validValue(field, value string) error {
	switch {
	case len(value) < minValue:
		return &fault.Error{Field: field, Message: fmt.Sprintf("the value has fewer than %d bytes", minValue), Hint: "so short a value cannot be masked without hiding ordinary words"}
	case len(value) > maxValue:
		return &fault.Error{Field: field, Message: fmt.Sprintf("the value has more than %d bytes", maxValue), Hint: "the system's keyrings take no more"}
	case strings.ContainsRune(value, 0):
		return &fault.Error{Field: field, Message: "the value has a NUL byte in it", Hint: "give text"}
	case len(strings.TrimSpace(value)) < minValue:
		return &fault.Error{Field: field, Message: "the value is blank"}
	case len(value) < minWord && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_") == "":
		return &fault.Error{Field: field, Message: "the value is one ordinary word, which would be hidden wherever it stands", Hint: "take one with a digit, a capital letter or a sign in it"}
	}
	return nil
}
