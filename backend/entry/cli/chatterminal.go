package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"goalpost/backend/app"
	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/text"
)

// chatTerminal is a chat in which the user types prompts and answers what the model asks.
type chatTerminal struct {
	command chatCommand
	signals <-chan os.Signal
	silent  bool        // answers are not printed
	lines   *typedLines // nil if standard input is not a terminal: nobody answers
}

// typedLines are the lines that the user types. Standard input is read from the first use on, so that a command which
// asks nothing leaves what was typed to the shell.
type typedLines struct {
	input   io.Reader
	started sync.Once
	list    chan string
	ended   chan struct{}
	failed  error // why list was closed; nil at the end of the input
}

func newTypedLines(input io.Reader) *typedLines {
	return &typedLines{input: input, list: make(chan string), ended: make(chan struct{})}
}

// next receives the next line. It is closed after the last one.
func (tl *typedLines) next() <-chan string {
	tl.started.Do(func() {
		go func() {
			defer close(tl.list)
			input := bufio.NewScanner(tl.input)
			for input.Scan() {
				select {
				case tl.list <- input.Text():
				case <-tl.ended:
					return
				}
			}
			tl.failed = input.Err()
		}()
	})
	return tl.list
}

func (tl *typedLines) end() { close(tl.ended) }

// converse answers what the user types, line by line, until the end of the input or a signal between two answers.
func (ct chatTerminal) converse(ctx context.Context, a *app.App, in api.SendInput) error {
	p := ct.command.program
	for p.errorf("> "); ; p.errorf("> ") {
		var ok bool
		select {
		case <-ct.signals:
			return exitCode(exitInterrupted)
		case <-p.gone():
			return exitCode(exitInterrupted)
		case in.Text, ok = <-ct.lines.next():
		}
		switch {
		case !ok && ct.lines.failed != nil:
			return fmt.Errorf("read the prompt: %w", ct.lines.failed)
		case !ok:
			p.errorf("\nContinue with %s chat --continue=%s\n", p.Name, in.ChatID)
			return nil
		case strings.TrimSpace(in.Text) == "":
			continue
		}
		if _, err := ct.ask(ctx, a, in); err != nil {
			return err
		}
		in.Attachments = nil
	}
}

// ask sends a message and prints its answer while it arrives. A signal stops the answer, and a second one does not wait
// for that.
func (ct chatTerminal) ask(ctx context.Context, a *app.App, in api.SendInput) (m chat.Message, err error) {
	const buffer = 4096
	p, sub := ct.command.program, a.Events(buffer)
	defer func() { sub.Close() }()
	chats := a.ChatAPI(ctx)
	sent, err := chats.Send(in)
	if err != nil {
		return m, err
	}
	view, isStopped, open := answerView{program: p, id: sent.Answer, silent: ct.silent}, false, (*chat.Ask)(nil)
	for {
		var typed <-chan string
		if open != nil {
			typed = ct.answers()
		}
		select {
		case <-p.gone():
			_, err := chats.Stop(in.ChatID)
			return m, errors.Join(err, exitCode(exitInterrupted))
		case <-ct.signals:
			if isStopped {
				return m, exitCode(exitInterrupted)
			}
			isStopped = true
			if _, err := chats.Stop(in.ChatID); err != nil {
				return m, err
			}
		case line := <-typed:
			if _, err := chats.AnswerAsk(in.ChatID, readAskAnswer(line, open.Request)); err != nil {
				p.errorf("%s: %s\n", p.Name, oneLine(err.Error())) // another window has answered
			}
			open = nil
		case e, ok := <-sub.C:
			if !ok { // too many events at once: the end has the whole text
				sub = a.Events(buffer)
				continue
			}
			if part, ok := e.Body.(*event.ChatPart); ok && part.Message == sent.Answer {
				open = ct.showAsk(part.Part.Call, open)
			}
			if done, err := view.show(e.Body); done != nil || err != nil {
				if err == nil {
					m = *done
				}
				return m, err
			}
		}
	}
}

// answers receives what the user types. Without a terminal it is closed: an empty line refuses.
func (ct chatTerminal) answers() <-chan string {
	if ct.lines != nil {
		return ct.lines.next()
	}
	nobody := make(chan string)
	close(nobody)
	return nobody
}

// showAsk asks the user what a call asks. It returns the open question.
func (ct chatTerminal) showAsk(c *chat.Call, open *chat.Ask) *chat.Ask {
	switch {
	case c == nil:
		return open
	case c.Ask == nil || open != nil && open.Request == c.Ask.Request:
		return c.Ask
	}
	hosts := oneLine(strings.Join(c.Ask.Hosts, ", "))
	ct.command.program.errorf("The model wants to read from %s, which is not allowed in this chat:\n  %s\n"+
		"Allow it? [y]es, [a]lways in this chat, [N]o: ", hosts, askedAddress(*c.Ask))
	if ct.lines == nil {
		ct.command.program.errorf("\n")
	}
	return c.Ask
}

// askedAddress returns the whole address that the user is asked about, or all arguments if there is none.
func askedAddress(a chat.Ask) string {
	var arguments struct {
		URL string `json:"url"`
	}
	shown := a.Arguments
	if err := json.Unmarshal([]byte(a.Arguments), &arguments); err == nil && arguments.URL != "" {
		shown = arguments.URL
	}
	return text.SanitizeLine(shown, len(shown))
}

// readAskAnswer reads what the user typed. What is not clearly a yes refuses.
func readAskAnswer(line, request string) api.AskAnswer {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return api.AskAnswer{Request: request, Allow: true}
	case "a", "always":
		return api.AskAnswer{Request: request, Allow: true, ForChat: true}
	}
	return api.AskAnswer{Request: request}
}
