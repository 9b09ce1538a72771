package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// confirmAtTerminal asks the user at the terminal.
func (p Program) confirmAtTerminal(question string) bool {
	p.errorf("%s", question)
	line, err := p.readLine()
	if err != nil {
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// isTerminal reports whether f is a terminal; /dev/null, a character device as well, is not.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// announceClient prints at a terminal that the command waits for a program that speaks its protocol.
func (p Program) announceClient(client string) {
	if p.isTerminal(0) {
		p.errorf("%s: this command waits for %s on standard input; see --help, or press Ctrl+C to end it\n", p.Name, client)
	}
}

func (p Program) readHidden(_ context.Context, what string) (string, error) {
	p.errorf("%s (not shown): ", what)
	b, err := term.ReadPassword(int(os.Stdin.Fd()))
	p.errorf("\n")
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	return string(b), nil
}

// askPassphrase returns a function that asks the user for the passphrase, nil without a terminal. It uses the terminal
// even if standard input is a file.
func (p Program) askPassphrase() func(context.Context) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	_ = tty.Close() // it was only opened to check that there is one
	return func(context.Context) (_ string, err error) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return "", fmt.Errorf("the terminal: %w", err)
		}
		defer func() { err = errors.Join(err, tty.Close()) }()
		w := bufio.NewWriter(tty)
		_, err = w.WriteString("The passphrase of your secrets (not shown): ")
		if err = errors.Join(err, w.Flush()); err != nil {
			return "", fmt.Errorf("the terminal: %w", err)
		}
		b, err := term.ReadPassword(int(tty.Fd()))
		_, _ = tty.WriteString("\n")
		if err != nil {
			return "", fmt.Errorf("the terminal: %w", err)
		}
		return string(b), nil
	}
}
