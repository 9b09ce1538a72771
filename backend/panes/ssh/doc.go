// Package ssh runs terminals on other machines with the system's ssh, so that the user's configuration, agent and keys
// work as in any terminal.
//
// A Client belongs to the program. A Connection is one pane: the command line that its terminal runs, the questions
// that ssh asks (passwords, host keys), and the reconnecting after a lost connection. ssh asks through SSH_ASKPASS,
// which is goalpost-helper; the screen is never parsed. If the server has tmux, the session there outlives the
// connection.
package ssh
