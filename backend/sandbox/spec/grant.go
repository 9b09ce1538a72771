package spec

// RuntimeGrant is what the user grants to a goal's programs while it runs. Exactly one field is set.
type RuntimeGrant struct {
	Read   string // a file or folder, absolute, without links in its path
	Write  string // a folder; programs that already run can only read it
	Socket string // a Unix socket
	Port   int    // of this machine's loopback
}
