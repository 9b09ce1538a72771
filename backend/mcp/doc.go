// Package mcp speaks the Model Context Protocol, in both directions. As a client
// it lends the tools of the user's servers to a goal, as server__tool: a server
// that is a program runs inside the goal's walls, one that is an address is
// reached through the goal's proxy. As a server it lends goals and panes to other
// agents (Serve).
//
// What a server says is data from outside, its descriptions too. Its annotations
// decide the effect of a tool, because the user chose the server; a tool without
// annotations may do anything (policy.UnknownEffect), and one that is not what it was
// when it was listed is not called.
package mcp
