package mcptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// serveRaw serves a tool echo without the library, to do what a server must not: stuck answers nothing any more after
// the call of its tool stick, endless lists the same page for ever, slow does not list its tools.
func serveRaw(kind string) int {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var ask struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct{ Name string }
		}
		if json.Unmarshal(in.Bytes(), &ask) != nil || ask.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch ask.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},` +
				`"serverInfo":{"name":"raw","version":"1"}}`
		case "tools/list":
			if kind == "slow" {
				fmt.Fprintln(os.Stderr, "indexing 40,000 files")
				continue
			}
			more := ""
			if kind == "endless" {
				more = `,"nextCursor":"again"`
			}
			answer = fmt.Sprintf(`"result":{"tools":[%s,%s]%s}`, rawTool("echo"), rawTool("stick"), more)
		case "tools/call":
			if ask.Params.Name == "stick" {
				select {}
			}
			answer = fmt.Sprintf(`"result":{"content":[{"type":"text","text":"here from %d"}]}`, os.Getpid())
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", ask.ID, answer)
	}
	return 0
}

func rawTool(name string) string {
	return fmt.Sprintf(`{"name":%q,"description":"-","inputSchema":{"type":"object"}}`, name)
}
