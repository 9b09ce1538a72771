package terminal

import "goalpost/backend/lib/text"

// queryReplyPattern matches a terminal's replies to queries of a program: device attributes, status, cursor position,
// modes, colours, settings. A cursor report in row 1 with a column of 2 to 8 is excluded: F3 with a modifier looks
// the same.
var queryReplyPattern = text.NewPattern(`^(?:` +
	`\x1b\[[?>][0-9;]*c|\x1b\[0n|\x1b\[\?[0-9;]*[nR]|` +
	`\x1b\[(?:[2-9]|[1-9][0-9]+);[0-9]+R|\x1b\[1;(?:1|9|[1-9][0-9]+)R|` +
	`\x1b\[\??[0-9;]*\$y|` +
	`\x1b\](?:4;[0-9]+|1[0-2]);rgb:[0-9a-fA-F/]*(?:\x07|\x1b\\)|` +
	`\x1bP[01]\$r[^\x1b]*\x1b\\|\x1bP>\|[^\x1b]*\x1b\\)+$`)

// isQueryReply reports whether p consists of such replies only. The page's terminal sends them automatically; the
// user did not type them.
func isQueryReply(p []byte) bool {
	return len(p) > 3 && len(p) < 1024 && p[0] == 0x1b && queryReplyPattern.Match(p)
}
