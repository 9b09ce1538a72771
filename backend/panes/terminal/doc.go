// Package terminal runs programs on pseudo-terminals and stores their output.
//
// A Session is one terminal: its program (restarted in place if asked), a ring of the bytes it printed, addressed by
// offsets that count from the session's start and never repeat, a model of the screen, and the marks of the shell's
// commands. Viewers (a page) and the agent read the same bytes. A Manager holds the sessions by pane id.
package terminal
