package ssh

import (
	"net"
	"strings"

	"goalpost/backend/lib/text"
)

// askUser returns the answer to a prompt: one that was right before, or the user's.
func (l *Connection) askUser(conn net.Conn, prompt string) (string, bool) {
	q := &pendingPrompt{
		prompt: strings.TrimSpace(text.Sanitize(prompt)), // it may come from the server
		secret: !isYesNoPrompt(prompt),
		answer: make(chan string, 1),
	}
	l.mu.Lock()
	if k := l.kept[prompt]; k != nil && k.good && !k.tried {
		k.tried = true
		l.mu.Unlock()
		return k.answer, true
	}
	if l.ask != nil {
		close(l.ask.answer) // ssh no longer waits for that one
	}
	l.ask = q
	l.mu.Unlock()
	l.update(func(s *State) { s.Ask, s.Secret = q.prompt, q.secret })
	defer l.closePrompt(q)
	gone := make(chan struct{})
	l.c.wg.Go(func() { // ends with conn, which the caller closes
		defer close(gone)
		_, _ = conn.Read(make([]byte, 1)) // when ssh ends, its helper ends, too
	})
	select {
	case text, ok := <-q.answer:
		if ok && q.secret {
			l.mu.Lock()
			l.kept[prompt] = &cachedAnswer{answer: text, tried: true}
			l.mu.Unlock()
		}
		return text, ok
	case <-gone:
	case <-l.life.Done():
	}
	return "", false
}

// closePrompt removes a question from the screen.
func (l *Connection) closePrompt(q *pendingPrompt) {
	l.mu.Lock()
	mine := l.ask == q
	if mine {
		l.ask = nil
	}
	l.mu.Unlock()
	if mine {
		l.update(func(s *State) { s.Ask, s.Secret = "", false })
	}
}

// Answer gives ssh what the user typed. prompt is the question that the user saw: answers to another question are
// dropped. If ok is false, the user refused to answer; ssh then gives up and is not started again. It returns false
// if there is no such question.
func (l *Connection) Answer(prompt, text string, ok bool) bool {
	l.mu.Lock()
	q := l.ask
	if q == nil || q.prompt != prompt {
		l.mu.Unlock()
		return false
	}
	l.ask = nil
	l.given = !ok
	l.mu.Unlock()
	if ok {
		q.answer <- text
	} else {
		close(q.answer)
	}
	l.update(func(s *State) { s.Ask, s.Secret = "", false })
	return true
}

// isYesNoPrompt distinguishes a host key's question from one for a secret, because ssh does not. In doubt the answer
// is not shown.
func isYesNoPrompt(prompt string) bool {
	return strings.Contains(prompt, "(yes/no") || strings.HasPrefix(prompt, "Please type 'yes'")
}
