// Package webpage converts web pages to text for a model. It fetches nothing and runs no script. Pages are hostile, so
// the sizes of its input and output are limited.
package webpage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"goalpost/backend/lib/text"
)

const (
	// maxArticleElements is the number of elements up to which the main content of a page is searched. The search
	// visits all of them several times.
	maxArticleElements = 20_000
	// maxElements is the number of elements up to which a page is converted. A larger page becomes plain text.
	maxElements = 200_000
	// maxCells is the number of cells up to which a table remains a table, with short rows filled up to the longest.
	maxCells = 50_000
	// minArticle is the minimum length of the main content that is returned in place of the page, in bytes.
	minArticle = 200
)

// Page is a page as text.
type Page struct {
	Title string
	Text  string // Markdown
	Part  bool   // Text is only the main content, without menus and sidebars
}

// DecodeText converts text to UTF-8 from the encoding in its Content-Type or in its first bytes.
func DecodeText(body []byte, contentType string) string {
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err == nil {
		if utf8Body, err := io.ReadAll(r); err == nil {
			body = utf8Body
		}
	}
	return text.ToUTF8(string(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
}

// IsText reports whether a body of unknown type looks like text.
func IsText(body []byte) bool {
	head := body[:min(len(body), 4<<10)]
	for cut := 0; cut < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); cut++ { // the last character may be incomplete
		head = head[:len(head)-1]
	}
	return utf8.Valid(head) && !bytes.ContainsRune(head, 0)
}

// FromHTML converts an HTML document in UTF-8. at is its address, for relative links. withMenus keeps menus, sidebars
// and footers. An error means that the document cannot be parsed.
func FromHTML(document string, at *url.URL, withMenus bool) (p Page, err error) {
	defer func() {
		if panicValue := recover(); panicValue != nil { // an unexpected page made the converter panic
			err = fmt.Errorf("the page cannot be converted: %v", panicValue)
		}
	}()
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return p, fmt.Errorf("parsing the page: %w", err)
	}
	p.Title = titleOf(root)
	elements := countElements(root)
	if elements > maxElements {
		p.Text = plainText(root)
		return p, nil
	}
	from := root
	if !withMenus && elements <= maxArticleElements {
		if article := articleOf(document, at); article != nil {
			from, p.Part = article, true
		}
	}
	dropInvisible(from)
	flattenLargeTables(from)
	markdown, err := newConverter().ConvertNode(from, converter.WithDomain(at.Scheme+"://"+at.Host))
	if err != nil {
		return p, errors.Join(errors.New("the page cannot be converted"), err)
	}
	p.Text = strings.TrimSpace(string(markdown))
	return p, nil
}

func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		// A very long cell must not determine the width of every row.
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
}

// articleOf returns the main content of a document, nil if it has none that is long enough.
func articleOf(document string, at *url.URL) *html.Node {
	root, err := html.Parse(strings.NewReader(document)) // a copy, because the search changes it
	if err != nil {
		return nil
	}
	article, err := readability.FromDocument(root, at)
	if err != nil || article.Node == nil || len(plainText(article.Node)) < minArticle {
		return nil
	}
	return article.Node
}

// invisible lists elements whose text is not part of the page.
var invisible = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true,
	atom.Object: true, atom.Canvas: true, atom.Head: true,
}

// dropInvisible removes invisible elements, pictures in data URLs, and the spans of table cells, because the converter
// would write out all of the 65,000 rows and 1,000 columns that a cell may span.
func dropInvisible(n *html.Node) {
	var next *html.Node
	for c := n.FirstChild; c != nil; c = next {
		next = c.NextSibling
		if isInvisible(c) {
			n.RemoveChild(c)
			continue
		}
		c.Attr = slices.DeleteFunc(c.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" })
		for i, a := range c.Attr {
			if (a.Key == "src" || a.Key == "href") && strings.HasPrefix(strings.ToLower(a.Val), "data:") {
				c.Attr[i].Val = ""
			}
		}
		dropInvisible(c)
	}
}

// tableParts lists the elements of a table.
var tableParts = map[atom.Atom]bool{
	atom.Table: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Tr: true, atom.Td: true, atom.Th: true,
	atom.Caption: true, atom.Colgroup: true, atom.Col: true,
}

// flattenLargeTables converts tables with too many cells to paragraphs.
func flattenLargeTables(root *html.Node) {
	for n := range root.Descendants() {
		if n.DataAtom != atom.Table {
			continue
		}
		rows, cells, longest := 0, 0, 0
		for d := range n.Descendants() {
			switch d.DataAtom {
			case atom.Tr:
				rows, cells = rows+1, 0
			case atom.Td, atom.Th:
				cells++
				longest = max(longest, cells)
			default: // not part of a table
			}
		}
		if rows*longest <= maxCells {
			continue
		}
		for d := range n.Descendants() {
			if tableParts[d.DataAtom] {
				d.DataAtom, d.Data = atom.Div, "div"
			}
		}
		n.DataAtom, n.Data = atom.Div, "div"
	}
}

func isInvisible(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	if n.Type != html.ElementNode {
		return false
	}
	isHidden := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
	return isHidden || invisible[n.DataAtom]
}

func countElements(n *html.Node) int {
	count := 0
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			count++
		}
	}
	return count
}

func titleOf(n *html.Node) string {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Title && d.FirstChild != nil && d.FirstChild.Type == html.TextNode {
			return strings.Join(strings.Fields(d.FirstChild.Data), " ")
		}
	}
	return ""
}

// plainText returns the words below a node, with one line for each text node.
func plainText(n *html.Node) string {
	var b strings.Builder
	writeText(&b, n)
	return strings.TrimSpace(b.String())
}

func writeText(b *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		if text := strings.Join(strings.Fields(n.Data), " "); text != "" {
			b.WriteString(text + "\n")
		}
		return
	}
	if isInvisible(n) {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeText(b, c)
	}
}
