package policy

import (
	"slices"
	"strings"
)

// Risk is a risk level. The ceiling of a goal is one of these.
type Risk string

// The risk levels, lowest first.
const (
	ReadOnly     Risk = "read_only"
	WriteLocal   Risk = "write_local"
	NetworkGet   Risk = "network_get"
	NetworkWrite Risk = "network_write"
	SpendsMoney  Risk = "spends_money"
)

// Risks lists every risk level, lowest first.
func Risks() []Risk { return []Risk{ReadOnly, WriteLocal, NetworkGet, NetworkWrite, SpendsMoney} }

// RiskNames lists the risk levels for messages.
func RiskNames() string {
	names := make([]string, 0, len(Risks()))
	for _, r := range Risks() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

func (r Risk) level() int { return slices.Index(Risks(), r) }

// IsValid reports whether r is a risk level.
func (r Risk) IsValid() bool { return r.level() >= 0 }

// Exceeds reports whether r is higher than the ceiling. An unknown level exceeds everything.
func (r Risk) Exceeds(ceiling Risk) bool {
	return !r.IsValid() || !ceiling.IsValid() || r.level() > ceiling.level()
}
