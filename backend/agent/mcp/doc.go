// Package mcp implements the Model Context Protocol in both directions. As a client, it gives a goal the tools of the
// user's servers, named server__tool. A server that is a program runs in the goal's sandbox; one with an address is
// reached through the goal's proxy. As a server, it gives other agents access to goals and panes (Serve).
//
// Everything that a server sends is data from outside, including its descriptions. Its annotations decide the effect of
// a tool, because the user chose the server; a tool without annotations may do anything (policy.UnknownEffect). A tool
// that changed since it was listed is not called.
package mcp
