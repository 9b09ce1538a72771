package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"goalpost/backend/lib/fault"
)

var errGone error = fault.Kind(fault.NotFound, "", "no such goal", "list shows what there is")

type outdatedError struct{}

func (outdatedError) Error() string { return "outdated" }

func (outdatedError) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok {
		*f = fault.Kind(fault.Unavailable, "", "outdated", "update it")
	}
	return ok
}

func TestOf_FindsTheFirstErrorOfTheChain(t *testing.T) {
	refused := &fault.Error{Field: "risk", Message: "unknown risk", Hint: "use write_local"}
	for name, test := range map[string]struct {
		err  error
		want fault.Error
	}{
		"a plain one is refused": {
			refused, fault.Error{Code: fault.Refused, Field: "risk", Message: "unknown risk", Hint: "use write_local"},
		},
		"one of a field is refused": {
			fault.Invalid("risk", "unknown risk", "use write_local"),
			fault.Error{Code: fault.Refused, Field: "risk", Message: "unknown risk", Hint: "use write_local"},
		},
		"the words around a plain one are for the log": {
			fmt.Errorf("start: %w", refused),
			fault.Error{Code: fault.Refused, Field: "risk", Message: "unknown risk", Hint: "use write_local"},
		},
		"the words around a kind belong to it": {
			fmt.Errorf("goal 01J: %w", errGone),
			fault.Error{Code: fault.NotFound, Message: "goal 01J: no such goal", Hint: "list shows what there is"},
		},
		"another type joins in": {
			fmt.Errorf("journal: %w", outdatedError{}),
			fault.Error{Code: fault.Unavailable, Message: "journal: outdated", Hint: "update it"},
		},
		"anything else is internal": {errors.New("disk"), fault.Error{Code: fault.Internal, Message: "disk"}},
	} {
		if got := fault.Of(test.err); *got != test.want {
			t.Errorf("%s: %+v, want %+v", name, *got, test.want)
		}
	}
	if !errors.Is(fmt.Errorf("goal 01J: %w", errGone), errGone) {
		t.Error("a kind cannot be compared with errors.Is")
	}
	if _ = fault.Of(refused); refused.Code != "" {
		t.Error("Of changed the error that it was given")
	}
}

func TestError_SaysTheHint(t *testing.T) {
	for want, err := range map[string]error{
		"no (ask)":     &fault.Error{Message: "no", Hint: "ask"},
		"no":           &fault.Error{Message: "no"},
		"no such goal": errGone,
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err.Error(), want)
		}
	}
}
