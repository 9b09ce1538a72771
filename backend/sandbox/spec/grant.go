package spec

// RuntimeGrant is what the programs of a goal get besides its walls while it runs. One of
// the fields is set.
type RuntimeGrant struct {
	Read   string // a file or folder, absolute and without links in it
	Write  string // a folder; programs that run already may only see it
	Socket string // a Unix socket
	Port   int    // of this machine's loopback
}
