// Package ssh runs terminals on other machines with the system's ssh, so that the
// user's configuration, agent and keys work as in any terminal.
//
// A Client belongs to the program. A Link is one pane: the command line that its
// terminal runs, the questions that ssh asks on the way (passwords, host keys),
// and the way back after a lost connection. ssh asks through its own SSH_ASKPASS,
// which is goalpost-helper; nothing is ever read off the screen. Where the server
// has tmux, the session there outlives the connection.
package ssh
