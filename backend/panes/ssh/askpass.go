package ssh

import (
	"net"
	"strings"

	"goalpost/backend/lib/text"
)

// askUser returns the answer to a prompt: one that was right before, or the user's.
func (c *Connection) askUser(conn net.Conn, prompt string) (string, bool) {
	q := &pendingPrompt{
		prompt: strings.TrimSpace(text.Sanitize(prompt)), // it may come from the server
		secret: !isYesNoPrompt(prompt),
		answer: make(chan string, 1),
	}
	if answer, ok := c.knownAnswer(q); ok {
		return answer, true
	}
	c.mu.Lock()
	known := c.answers[q.prompt]
	again := known != nil && known.saved && !known.good
	if c.ask != nil {
		close(c.ask.answer) // ssh no longer waits for that one
	}
	c.ask = q
	c.mu.Unlock()
	c.update(func(s *State) { s.Ask, s.Secret, s.AskAgain = q.prompt, q.secret, again })
	defer c.closePrompt(q)
	disconnect := make(chan struct{})
	c.c.wg.Go(func() { // ends with conn, which the caller closes
		defer close(disconnect)
		_, _ = conn.Read(make([]byte, 1)) // when ssh ends, its helper ends, too
	})
	select {
	case text, ok := <-q.answer:
		if ok && q.secret {
			c.mu.Lock()
			c.answers[q.prompt] = &cachedAnswer{answer: text, wasSent: true}
			c.mu.Unlock()
		}
		return text, ok
	case <-disconnect:
	case <-c.life.Done():
	}
	return "", false
}

// knownAnswer returns the answer that was right before, or the one that the user has saved.
func (c *Connection) knownAnswer(q *pendingPrompt) (string, bool) {
	c.mu.Lock()
	k := c.answers[q.prompt]
	if k != nil && k.good && !k.wasSent {
		k.wasSent = true
		c.mu.Unlock()
		return k.answer, true
	}
	c.mu.Unlock()
	if k != nil || !q.secret || c.c.saved == nil {
		return "", false
	}
	answer, ok := c.c.saved(c.life, c.server, q.prompt)
	if ok {
		c.mu.Lock()
		c.answers[q.prompt] = &cachedAnswer{answer: answer, wasSent: true, saved: true}
		c.mu.Unlock()
	}
	return answer, ok
}

// closePrompt removes a question from the screen.
func (c *Connection) closePrompt(q *pendingPrompt) {
	c.mu.Lock()
	mine := c.ask == q
	if mine {
		c.ask = nil
	}
	c.mu.Unlock()
	if mine {
		c.update(func(s *State) { s.Ask, s.Secret, s.AskAgain = "", false, false })
	}
}

// Answer gives ssh what the user typed. prompt is the question that the user saw: answers to another question are
// dropped. If ok is false, the user refused to answer; ssh then gives up and is not started again. It returns false
// if there is no such question.
func (c *Connection) Answer(prompt, text string, ok bool) bool {
	c.mu.Lock()
	q := c.ask
	if q == nil || q.prompt != prompt {
		c.mu.Unlock()
		return false
	}
	c.ask = nil
	c.isRefused = !ok
	c.mu.Unlock()
	if ok {
		q.answer <- text
	} else {
		close(q.answer)
	}
	c.update(func(s *State) { s.Ask, s.Secret, s.AskAgain = "", false, false })
	return true
}

// isYesNoPrompt distinguishes a host key's question from one for a secret, because ssh does not. In doubt the answer
// is not shown.
func isYesNoPrompt(prompt string) bool {
	return strings.Contains(prompt, "(yes/no") || strings.HasPrefix(prompt, "Please type 'yes'")
}
