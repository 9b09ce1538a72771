package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Question is what a judge decides with one word.
type Question struct {
	System string
	Yes    string   // the word that is a pass
	No     []string // the other words
	Form   string   // how a reply begins; repeated after one that could not be read
	Show   func(m *Material) string
	Image  []byte // nil if there is none
}

// Answer is the reply of a judge.
type Answer struct {
	Word  string // Question.Yes or one of Question.No; "" if no reply could be read
	Reply string // the last one, whole
	Usage goal.Usage
	// Unread says what the judge has not seen although it decides. Then Yes does not count.
	Unread string
	Err    error // why no judge could be asked, nil if one was

	isCutOff bool // the last reply has no word, because the rest may be a reservation
}

// Failure says why no judge gave an answer, "" if one did. Nothing that the agent does can help.
func (a Answer) Failure(who string) string {
	switch {
	case a.Err != nil:
		return a.Err.Error()
	case a.Word == "" && strings.TrimSpace(a.Reply) == "":
		return "the " + who + " gave no answer"
	case a.isCutOff:
		return fmt.Sprintf("the answer of the %s was cut off at the model's output limit", who)
	case a.Word == "":
		return fmt.Sprintf("the answer of the %s could not be read: %s", who, text.SanitizeLine(a.Reply, 1000))
	}
	return ""
}

// Decide asks the judge, and the other one if no reply of the first can be read. An error means that nobody can be
// asked now (goal.Unavailable, goal.ErrPaused) or that ctx ended.
func (j *Judge) Decide(ctx context.Context, q Question) (Answer, error) {
	a, err := j.decide(ctx, q)
	if err != nil || a.Word != "" || j.Other == nil {
		return a, err
	}
	b, err := j.Other.decide(ctx, q)
	b.Usage = a.Usage.Plus(b.Usage)
	return b, err
}

// decide asks this judge, which may read on.
func (j *Judge) decide(ctx context.Context, q Question) (a Answer, err error) {
	reply, m, prompt, err := j.open(ctx, q)
	messages := []goal.Message{{Role: goal.User, Text: prompt, Images: images(q.Image)}}
	space := readBudget(j.Window, len(prompt))
	told := map[string]bool{} // what the judge was told, once each
	for {
		a.Usage = a.Usage.Plus(reply.Usage)
		switch {
		case ctx.Err() != nil:
			return a, fmt.Errorf("judging: %w", context.Cause(ctx))
		case IsUnavailable(err):
			return a, err
		case err != nil:
			a.Err = err
			return a, nil
		}
		a.Reply, a.Word, a.isCutOff = reply.Text, q.word(reply.Text), reply.IsCutOff
		if a.isCutOff {
			a.Word = ""
		}
		again := ""
		switch unread := m.unread(); {
		case isRead(reply.Text) && space >= readCost:
			again = m.read(reply.Text, &space) + "\n" + q.Form
		case a.Word == "" && !told["form"]:
			told["form"] = true
			again = "Your answer could not be read. Answer again, and nothing before it. " + q.Form
		case a.Word == q.Yes && unread != "" && !told["unread"]:
			told["unread"] = true
			again = fmt.Sprintf("You have not read %s, so %s does not count. Read it, or answer %s.\n%s", m.unreadItems(),
				q.Yes, q.No[0], readForm)
		default:
			if a.Word == q.Yes {
				a.Unread = unread
			}
			return a, nil
		}
		messages = append(messages, goal.Message{Role: goal.Assistant, Text: reply.Text},
			goal.Message{Role: goal.User, Text: again})
		reply, err = j.ask(ctx, q.System, messages)
	}
}

// open asks for the first reply. It shows as much as fits into the window, and less if the provider still refuses the
// prompt as too long.
func (j *Judge) open(ctx context.Context, q Question) (reply goal.Reply, m *Material, prompt string, err error) {
	w := j.promptBudget()
	for range 5 {
		m = &Material{Budget: w}
		prompt = q.Show(m)
		if len(m.cut) > 0 {
			prompt += fmt.Sprintf("\nSome items above are cut. %s\n%s counts only if you have read all of every item that "+
				"decides.", readForm, q.Yes)
		}
		prompt += "\nYour answer:"
		reply, err = j.ask(ctx, q.System, []goal.Message{{Role: goal.User, Text: prompt, Images: images(q.Image)}})
		if !errors.Is(err, goal.ErrContextTooLong) {
			break
		}
		w = w.half(len(prompt))
	}
	return reply, m, prompt, err
}

func images(picture []byte) [][]byte {
	if picture == nil {
		return nil
	}
	return [][]byte{picture}
}

// word returns the word with which a reply answers the question, "" if it has none.
func (q Question) word(reply string) string {
	if word := FirstWord(reply); word == q.Yes || slices.Contains(q.No, word) {
		return word
	}
	return ""
}

// Limits of what a judge reads besides the prompt, in bytes.
const (
	maxReadBytes = 32 << 10 // at once
	maxReadTotal = 512 << 10
	readCost     = 16 << 10 // of a shorter or a wrong request, so that they end
)

const readForm = "To read on in item N from byte OFFSET, answer only with the line: READ N OFFSET"

// readBudget returns how many bytes a judge may read after a prompt of the given size.
func readBudget(window, prompt int) int {
	if window <= 0 {
		return maxReadTotal
	}
	return min(maxReadTotal, window*bytesPerToken-prompt-4*maxReplyTokens)
}

var readPattern = text.NewPattern("(?i)^[\\s`*]*READ\\s+([0-9]{1,4})(?:[\\s,]+([0-9]{1,9}))?")

func isRead(reply string) bool { return readPattern.MatchString(reply) }

// read returns the part of an item that a reply asks for. space is how many bytes may still be read.
func (m *Material) read(reply string, space *int) string {
	found := readPattern.FindStringSubmatch(reply)
	part, size := "There is no such item.", 0
	if n, _ := strconv.Atoi(found[1]); n >= 1 && n <= len(m.cut) {
		it := m.cut[n-1]
		from, err := strconv.Atoi(found[2])
		if err != nil {
			from = it.firstUnread()
		}
		from = min(from, len(it.text))
		end := min(from+maxReadBytes, from+*space, len(it.text))
		it.see(from, end)
		size = end - from
		part = fmt.Sprintf("Item %d, bytes %d to %d of %d:\n%s", n, from, end, len(it.text),
			WrapData(it.name, it.text[from:end], size))
	}
	if *space -= max(size, readCost); *space < readCost {
		return part + "\nNothing more can be read. Give your answer."
	}
	return part + "\n" + readForm + ". Otherwise give your answer."
}
