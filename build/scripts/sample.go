//go:build ignore

// sample prints random comments of the code and random labels of the page, so that they can be read aloud:
//
// go run build/scripts/sample.go [-seed N] [-n 20]
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// label matches texts that users read: between tags, and in some properties.
var label = regexp.MustCompile(
	`>\s*([A-Z][^<>{}\n]{3,})\s*<|\b(?:label|title|hint|placeholder|caption|text|aria-label)[=:]\s*\{?"([^"\n]{4,})"`)

func main() {
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "seed of the drawing")
	n := flag.Int("n", 20, "how many of each")
	flag.Parse()
	comments, err := readComments(".")
	if err != nil {
		log.Fatal(err)
	}
	scriptComments, err := readScriptComments("frontend/src", "frontend/injected")
	if err != nil {
		log.Fatal(err)
	}
	comments = append(comments, scriptComments...)
	labels, err := readLabels("frontend/src")
	if err != nil {
		log.Fatal(err)
	}
	random := rand.New(rand.NewPCG(*seed, 0))
	fmt.Printf("seed %d, %d comments, %d labels\n", *seed, len(comments), len(labels))
	for _, list := range [][]string{comments, labels} {
		fmt.Println()
		for _, i := range random.Perm(len(list))[:min(*n, len(list))] {
			fmt.Println("- " + list[i])
		}
	}
}

// readComments returns the comments on declarations, each as "file: text".
func readComments(root string) ([]string, error) {
	var list []string
	fset := token.NewFileSet()
	err := walkFiles(root, ".go", func(path string) error {
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			var doc *ast.CommentGroup
			switch d := d.(type) {
			case *ast.FuncDecl:
				doc = d.Doc
			case *ast.GenDecl:
				doc = d.Doc
			}
			if text := strings.Join(strings.Fields(doc.Text()), " "); text != "" {
				list = append(list, path+": "+text)
			}
		}
		return nil
	})
	return list, err
}

// scriptComment matches a doc comment of TypeScript.
var scriptComment = regexp.MustCompile(`(?s)/\*\*(.*?)\*/`)

// readScriptComments returns the doc comments of TypeScript, each as "file: text".
func readScriptComments(roots ...string) ([]string, error) {
	var list []string
	for _, root := range roots {
		for _, suffix := range []string{".ts", ".tsx"} {
			err := walkFiles(root, suffix, func(path string) error {
				source, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				for _, m := range scriptComment.FindAllStringSubmatch(string(source), -1) {
					text := strings.Join(strings.Fields(strings.ReplaceAll(m[1], "\n * ", "\n ")), " ")
					list = append(list, path+": "+strings.ReplaceAll(text, " * ", " "))
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// readLabels returns the labels of the page, each as "file: text".
func readLabels(root string) ([]string, error) {
	var list []string
	err := walkFiles(root, ".tsx", func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range label.FindAllStringSubmatch(string(text), -1) {
			if m[1] == "Promise" { // a type between angle brackets
				continue
			}
			list = append(list, path+": "+strings.TrimSpace(m[1]+m[2]))
		}
		return nil
	})
	return list, err
}

// walkFiles calls do for the files with a suffix, without tests.
func walkFiles(root, suffix string, do func(path string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && path != root
		if d.IsDir() && (hidden || d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		test := strings.Contains(d.Name(), "_test.") || strings.Contains(d.Name(), ".test.")
		if d.IsDir() || test || !strings.HasSuffix(path, suffix) {
			return nil
		}
		return do(path)
	})
}
