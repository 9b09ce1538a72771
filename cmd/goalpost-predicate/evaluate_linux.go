package main

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// maxCallDepth limits how deep functions of an expression may call each other.
const maxCallDepth = 2000

// decideExpression evaluates the expression. Its value must be true or false: an assignment that was meant as a
// comparison is not a pass.
func decideExpression(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil { // goja reports some errors by panicking
			a = answer{Kind: "throws", Text: fmt.Sprint("the expression failed: ", r)}
		}
	}()
	program, err := compileExpression(q.Expr)
	if err != nil {
		return answer{Kind: "syntax", Text: err.Error()}
	}
	if q.Read {
		return answer{Value: true}
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(maxCallDepth)
	parse, ok := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("parse"))
	if !ok {
		return answer{Kind: "throws", Text: "the interpreter has no JSON.parse"}
	}
	response, err := parse(goja.Undefined(), vm.ToValue(q.Response))
	if err == nil {
		err = vm.Set("response", response)
	}
	if err != nil {
		return answer{Kind: "throws", Text: "the response cannot be read: " + err.Error()}
	}
	value, err := vm.RunProgram(program)
	if err != nil {
		return classifyThrow(err)
	}
	return boolResult(value)
}

func compileExpression(expr string) (*goja.Program, error) {
	source := "(" + expr + "\n)" // the parenthesis is on a new line, because the expression may end in a comment
	tree, err := parser.ParseFile(nil, "expression", source, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // the error has text and position
	}
	if len(tree.Body) != 1 {
		return nil, errors.New("it is not one expression")
	}
	if _, ok := tree.Body[0].(*ast.ExpressionStatement); !ok {
		return nil, errors.New("it is not an expression")
	}
	return goja.CompileAST(tree, true) //nolint:wrapcheck // as above
}

// classifyThrow returns the kind of a failure. A TypeError comes from access to something that does not exist.
func classifyThrow(err error) answer {
	text := "the expression failed: " + err.Error()
	var stack *goja.StackOverflowError
	if errors.As(err, &stack) {
		return answer{Kind: "bounds", Text: fmt.Sprintf("the expression calls itself more than %d deep", maxCallDepth)}
	}
	var e *goja.Exception
	if errors.As(err, &e) {
		if o, ok := e.Value().(*goja.Object); ok && o.Get("name") != nil && o.Get("name").String() == "TypeError" {
			return answer{Kind: "type", Text: text}
		}
	}
	return answer{Kind: "throws", Text: text}
}

func boolResult(v goja.Value) answer {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return answer{Kind: "type", Text: "the expression is " + v.String()}
	}
	if b, ok := v.Export().(bool); ok {
		return answer{Value: b}
	}
	return answer{Kind: "value", Text: fmt.Sprintf("the expression is neither true nor false but %.100s", v.String())}
}
