package serve

import (
	"context"
	"errors"
	"reflect"
)

// Problem is how an error reaches the page; the same shape as api.Problem.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Field   string `json:"field"`
}

func (p *Problem) Error() string { return p.Message }

// problemOf finds an error in err's chain that has a code and a message, such as
// api.Problem, whose package is not imported. Any other error is internal.
func problemOf(err error) *Problem {
	for e := err; e != nil; e = errors.Unwrap(e) {
		v := reflect.Indirect(reflect.ValueOf(e))
		if v.Kind() != reflect.Struct {
			continue
		}
		text := func(name string) string {
			if f := v.FieldByName(name); f.IsValid() && f.Kind() == reflect.String {
				return f.String()
			}
			return ""
		}
		if text("Code") != "" && text("Message") != "" {
			return &Problem{text("Code"), text("Message"), text("Hint"), text("Field")}
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Problem{Code: "unavailable", Message: err.Error(), Hint: "try again"}
	}
	return &Problem{Code: "internal", Message: err.Error()}
}
