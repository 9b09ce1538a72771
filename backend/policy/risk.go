package policy

import "strings"

// Risk is a step of the ladder. The ceiling of a goal is one of these.
type Risk string

// The ladder, lowest first.
const (
	ReadOnly     Risk = "read_only"
	WriteLocal   Risk = "write_local"
	NetworkGet   Risk = "network_get"
	NetworkWrite Risk = "network_write"
	SpendsMoney  Risk = "spends_money"
)

// Risks lists every risk, lowest first.
func Risks() []Risk { return []Risk{ReadOnly, WriteLocal, NetworkGet, NetworkWrite, SpendsMoney} }

// RiskNames lists the ladder for messages.
func RiskNames() string {
	names := make([]string, 0, len(Risks()))
	for _, r := range Risks() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

func (r Risk) level() int {
	for i, s := range Risks() {
		if s == r {
			return i
		}
	}
	return -1
}

// IsValid says whether r is on the ladder.
func (r Risk) IsValid() bool { return r.level() >= 0 }

// Exceeds says whether r is higher than the ceiling. An unknown risk is over everything.
func (r Risk) Exceeds(ceiling Risk) bool {
	if !r.IsValid() || !ceiling.IsValid() {
		return true
	}
	return r.level() > ceiling.level()
}
