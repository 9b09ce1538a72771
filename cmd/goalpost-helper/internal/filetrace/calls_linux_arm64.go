package filetrace

// archCalls are those that only this architecture has.
var archCalls map[uint32]tracedCall
