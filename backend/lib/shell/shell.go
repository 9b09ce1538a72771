// Package shell reads and writes lines for a POSIX shell. All code that reads commands before they run uses this
// parser, so that it sees the same words.
package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/lib/text"
)

// Parse parses a line, or a script of several.
func Parse(line string) (*syntax.File, error) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, fmt.Errorf("read a shell line: %w", err)
	}
	return f, nil
}

// IsIncomplete reports whether an error of Parse means that the line continues.
func IsIncomplete(err error) bool {
	var parse syntax.ParseError
	return errors.As(err, &parse) && parse.Incomplete
}

// Literal returns a word as a program gets it: without quotes and backslashes. A part that is only known when the line
// runs, such as a variable, becomes what unknown returns.
func Literal(w *syntax.Word, unknown func(syntax.WordPart) string) string {
	var b strings.Builder
	appendParts(&b, w.Parts, false, unknown)
	return b.String()
}

func appendParts(b *strings.Builder, list []syntax.WordPart, quoted bool, unknown func(syntax.WordPart) string) {
	for _, part := range list {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, quoted))
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar { // $'…'; no other quotes have escapes
				var err error
				if text, _, err = expand.Format(nil, p.Value, nil); err != nil {
					text = unknown(p)
				}
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			appendParts(b, p.Parts, true, unknown)
		default:
			b.WriteString(unknown(p))
		}
	}
}

// unescape removes the backslashes that quote a character. Between double quotes they quote few of them.
func unescape(text string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			if i++; text[i] == '\n' { // continues the line
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Words lists the words of all simple commands in a line, also of those in substitutions. It leaves out words that are
// only known when the line runs.
func Words(line string) ([]string, error) {
	f, err := Parse(line)
	if err != nil {
		return nil, err
	}
	var words []string
	syntax.Walk(f, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			for _, w := range call.Args {
				isLiteral := true
				text := Literal(w, func(syntax.WordPart) string {
					isLiteral = false
					return ""
				})
				if isLiteral {
					words = append(words, text)
				}
			}
		}
		return true
	})
	return words, nil
}

// Quote returns text as one word in single quotes.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// plainWord is a word that needs no quotes.
var plainWord = text.NewPattern(`^[A-Za-z0-9_./:=@%+,-]+$`)

// QuoteIfNeeded returns text as one word, in quotes only if a shell would read it differently without them.
func QuoteIfNeeded(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return Quote(text)
}

// Join returns the command line that starts a program with these arguments.
func Join(argv []string) string {
	words := slices.Clone(argv)
	for i, word := range words {
		if words[i] = QuoteIfNeeded(word); i == 0 && strings.Contains(word, "=") {
			words[i] = Quote(word) // so that it is not an assignment
		}
	}
	return strings.Join(words, " ")
}

// SimpleCommand returns the words of a line that is one command, without variables, redirections, pipes and the like.
func SimpleCommand(line string) ([]string, error) {
	f, err := Parse(line)
	if err != nil {
		return nil, err
	}
	if len(f.Stmts) != 1 {
		return nil, errNotSimple
	}
	s := f.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns)+len(s.Redirs) > 0 || len(call.Args) == 0 || s.Background || s.Negated || s.Coprocess {
		return nil, errNotSimple
	}
	var words []string
	for _, w := range call.Args {
		isLiteral := true
		words = append(words, Literal(w, func(syntax.WordPart) string {
			isLiteral = false
			return ""
		}))
		if !isLiteral {
			return nil, errNotSimple
		}
	}
	return words, nil
}

var errNotSimple = errors.New("it is not one command with its arguments")
