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

// Ladder lists every risk, lowest first.
func Ladder() []Risk { return []Risk{ReadOnly, WriteLocal, NetworkGet, NetworkWrite, SpendsMoney} }

// RiskNames lists the ladder for messages.
func RiskNames() string {
	names := make([]string, 0, len(Ladder()))
	for _, r := range Ladder() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

func (r Risk) height() int {
	for i, s := range Ladder() {
		if s == r {
			return i
		}
	}
	return -1
}

// Valid says whether r is on the ladder.
func (r Risk) Valid() bool { return r.height() >= 0 }

// Over says whether r is higher than the ceiling. An unknown risk is over everything.
func (r Risk) Over(ceiling Risk) bool {
	if !r.Valid() || !ceiling.Valid() {
		return true
	}
	return r.height() > ceiling.height()
}
