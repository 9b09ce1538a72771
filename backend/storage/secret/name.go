package secret

import (
	"fmt"
	"strings"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

var nameForm = text.NewPattern(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// Limits of a value in bytes. A shorter one would mask ordinary words; a longer one does not fit in every keyring.
const (
	minValue = 6
	MaxValue = 2000
	minWord  = 16 // of a value of lower-case letters only
)

// ValidateName refuses names that cannot be used in a reference.
func ValidateName(name string) error {
	if !nameForm.MatchString(name) {
		return fault.Invalid("name", fmt.Sprintf("%q is not a valid name of a secret", name),
			"use a letter, then letters, digits, dots, dashes and underscores, 64 at most")
	}
	return nil
}

func validateValue(field, value string) error {
	switch {
	case len(value) < minValue:
		return fault.Invalid(field, fmt.Sprintf("the value has fewer than %d bytes", minValue),
			"use a longer value; values this short cannot be masked without hiding ordinary words")
	case len(value) > MaxValue:
		return fault.Invalid(field, fmt.Sprintf("the value has more than %d bytes", MaxValue),
			"use a shorter value; the system's keyrings accept no more")
	case strings.ContainsRune(value, 0):
		return fault.Invalid(field, "the value contains a NUL byte", "give text")
	case len(strings.TrimSpace(value)) < minValue:
		return fault.Invalid(field, "the value is blank", "enter the secret itself")
	case len(value) < minWord && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_") == "":
		return fault.Invalid(field, "the value is one ordinary word, which would be hidden everywhere",
			"use a value with a digit, a capital letter or a symbol")
	}
	return nil
}
