package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// chatCommand asks a model about a folder.
type chatCommand struct{ program Program }

// chatFlags holds the flags of chat as the user wrote them.
type chatFlags struct {
	start    api.NewChat
	proceed  string // the chat to continue: newestChat, or its id; "" begins one
	attached []string
	list     bool
	find     string
}

// newestChat continues the chat that changed last.
const newestChat = "newest"

func (cc chatCommand) chat() *cobra.Command {
	var f chatFlags
	c := &cobra.Command{
		Use: "chat [flags] [PROMPT]", Short: "Ask a model, which reads the folder and changes nothing",
		Args: cobra.ArbitraryArgs,
		Long: "Ask a model. It reads files of the folder, what is attached, and pages of allowed hosts; it changes " +
			"nothing. At a terminal you are asked about other hosts. Text on standard input is attached to the prompt, or " +
			"is the prompt if there is no other. Without either, it asks for prompts at the terminal, until Ctrl+D. " +
			"Ctrl+C stops an answer and keeps what it has said.",
		Example: "  " + cc.program.Name + " chat 'Why does the cart test fail?'\n  go test ./cart 2>&1 | " +
			cc.program.Name + " chat 'Why does it fail?'\n  " + cc.program.Name + " chat --continue 'And with two coupons?'",
		RunE: func(c *cobra.Command, args []string) error {
			options := app.Options{Attended: cc.program.isTerminal(0)}
			return cc.program.withApp(c.Context(), options, func(a *app.App) error {
				if f.list || f.find != "" {
					return cc.printList(c, a, f.find)
				}
				return cc.run(c, a, f, strings.Join(args, " "))
			})
		},
	}
	c.Flags().StringVarP(&f.proceed, "continue", "c", "", "continue a chat, by its id; without one, the newest")
	c.Flags().Lookup("continue").NoOptDefVal = newestChat
	c.Flags().StringVar(&f.start.Dir, "dir", "", "the folder that it reads (default: the present one)")
	c.Flags().StringVar(&f.start.Model, "model", "", "PROVIDER/MODEL, PROVIDER, or a model of the active provider")
	c.Flags().StringVar(&f.start.Effort, "effort", "", "reasoning effort, in the words of the model's protocol")
	c.Flags().StringVar(&f.start.GoalID, "goal", "", "attach this goal: its steps, changes and checks")
	c.Flags().StringArrayVar(&f.start.AllowHosts, "allow-host", nil,
		"a host that this chat may read pages from without asking (repeatable)")
	c.Flags().StringArrayVar(&f.attached, "attach", nil, "attach this file or picture (repeatable)")
	c.Flags().BoolVar(&f.list, "list", false, "list the chats, the one that changed last first")
	c.Flags().StringVar(&f.find, "find", "", "list the chats that have these words")
	return addJSON(c)
}

// printList prints the chats that have all words.
func (cc chatCommand) printList(c *cobra.Command, a *app.App, words string) error {
	const limit = 200
	out, err := a.ChatAPI(c.Context()).List(api.ChatFilter{Query: words, Limit: limit})
	return cc.program.printResult(c, out, err, func() error {
		if len(out.Chats) == 0 {
			return cc.program.printf("No chats.\n")
		}
		lines := make([]string, len(out.Chats))
		for i, one := range out.Chats {
			lines[i] = fmt.Sprintf("%s\t%s\t%s", one.ID, one.UpdatedAt.Local().Format(time.DateTime),
				text.SanitizeLine(one.Title, maxShownTitle))
		}
		return cc.program.printTable(lines)
	})
}

const maxShownTitle = 80 // characters

// run answers the prompt, or the prompts that the user types.
func (cc chatCommand) run(c *cobra.Command, a *app.App, f chatFlags, prompt string) error {
	p := cc.program
	terminal := p.isTerminal(0)
	in := api.SendInput{Text: prompt, Attachments: []chat.Attachment{}}
	if !terminal {
		if err := readPiped(p.Stdin, &in); err != nil {
			return err
		}
	}
	if strings.TrimSpace(in.Text) == "" && !terminal {
		return fault.Invalid("prompt", "there is no prompt", "write one, or pipe one in")
	}
	if err := cc.chooseFolder(a, &f); err != nil {
		return err
	}
	id, err := f.open(a.ChatAPI(c.Context()))
	if err != nil {
		return err
	}
	if err := cc.attach(f, &in); err != nil {
		return err
	}
	in.ChatID = string(id)
	signals, stop := p.signals()
	defer stop()
	conversation := chatTerminal{command: cc, signals: signals, silent: isJSON(c)}
	if terminal {
		conversation.lines = newTypedLines(p.Stdin)
		defer conversation.lines.end()
	}
	if prompt == "" && terminal {
		return conversation.converse(c.Context(), a, in)
	}
	m, err := conversation.ask(c.Context(), a, in)
	if err != nil {
		return err
	}
	if isJSON(c) {
		if err := p.json(map[string]any{"chat_id": id, "message": m}); err != nil {
			return err
		}
	}
	return answerCode(m)
}

// maxPiped limits what is read of standard input, in bytes. The chat keeps the beginning and the end of it.
const maxPiped = 16 << 20

// readPiped takes the text on standard input as the prompt, or as an attachment of the prompt.
func readPiped(stdin io.Reader, in *api.SendInput) error {
	b, err := io.ReadAll(io.LimitReader(stdin, maxPiped))
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	switch piped := text.ToUTF8(string(b)); {
	case strings.TrimSpace(piped) == "":
	case in.Text == "":
		in.Text = piped
	default:
		in.Attachments = append(in.Attachments,
			chat.Attachment{Kind: chat.AttachSelection, Title: "standard input", Text: piped})
	}
	return nil
}

// open returns the chat to continue, or begins one.
func (f chatFlags) open(chats *calls.ChatAPI) (chat.ID, error) {
	switch {
	case f.proceed == newestChat:
		out, err := chats.List(api.ChatFilter{Limit: 1})
		if err != nil {
			return "", err
		}
		if len(out.Chats) == 0 {
			return "", fault.New(fault.NotFound, "there is no chat to continue", "begin one without --continue")
		}
		return f.allowHosts(chats, out.Chats[0].Chat)
	case f.proceed != "":
		out, err := chats.Open(f.proceed)
		if err != nil {
			return "", err
		}
		return f.allowHosts(chats, out.Chat)
	}
	c, err := chats.New(f.start)
	return c.ID, err
}

// allowHosts adds the hosts of the flags to those of the chat that is continued.
func (f chatFlags) allowHosts(chats *calls.ChatAPI, c chat.Chat) (chat.ID, error) {
	if len(f.start.AllowHosts) == 0 {
		return c.ID, nil
	}
	all := slices.Concat(c.AllowHosts, f.start.AllowHosts)
	_, err := chats.Change(string(c.ID), api.ChatChange{AllowHosts: &all})
	return c.ID, err
}

// chooseFolder sets the folder that a new chat reads: the given one, or else that in which the command runs, unless a
// chat may not read it, as a home folder.
func (cc chatCommand) chooseFolder(a *app.App, f *chatFlags) error {
	isGiven := f.start.Dir != ""
	if !isGiven && (f.start.GoalID != "" || f.proceed != "") {
		return nil
	}
	dir, err := cc.program.absolute(cmp.Or(f.start.Dir, "."))
	if err != nil {
		return err
	}
	if err := a.CheckFolder(dir); err != nil && !isGiven {
		cc.program.errorf("The chat reads no folder: %s\n", oneLine(fault.Of(err).Message))
		return nil
	}
	f.start.Dir = dir
	return nil
}

// attach adds what the flags attach.
func (cc chatCommand) attach(f chatFlags, in *api.SendInput) error {
	for _, path := range f.attached {
		whole, err := cc.program.absolute(path)
		if err != nil {
			return err
		}
		kind := chat.AttachFile
		switch strings.ToLower(filepath.Ext(path)) {
		case ".png", ".jpg", ".jpeg":
			kind = chat.AttachImage
		}
		in.Attachments = append(in.Attachments, chat.Attachment{Kind: kind, Path: whole})
	}
	if f.start.GoalID != "" {
		in.Attachments = append(in.Attachments, chat.Attachment{Kind: chat.AttachGoal, GoalID: f.start.GoalID})
	}
	return nil
}

// answerCode returns the exit code for an answer.
func answerCode(m chat.Message) error {
	switch m.State {
	case chat.Stopped, chat.Interrupted:
		return exitCode(exitInterrupted)
	case chat.OutOfRounds:
		return exitCode(exitLimit)
	case chat.Failed:
		return exitCode(exitError)
	case chat.Answering, chat.Done:
	}
	return nil
}

// answerView prints an answer while it arrives: its text to standard output, its calls to standard error.
type answerView struct {
	program Program
	id      int64
	silent  bool // only the end is of interest

	part    int    // that is printed
	printed string // of the part
	failed  error
}

// show prints what an event adds. It returns the answer at its end.
func (v *answerView) show(b event.Body) (done *chat.Message, err error) {
	switch b := b.(type) {
	case *event.ChatDelta:
		if b.Message == v.id && b.Text != "" {
			v.print(b.Part, b.Offset, b.Text)
		}
	case *event.ChatPart:
		if b.Message != v.id {
			break
		}
		if b.Part.Call != nil {
			v.printCall(*b.Part.Call)
			break
		}
		v.complete(b.Index, b.Part.Text)
	case *event.ChatMessage:
		if b.Message.ID != v.id || b.Message.State == chat.Answering {
			if b.Message.ID == v.id && b.Message.Waiting != "" && !v.silent {
				v.program.errorf("%s\n", oneLine(b.Message.Waiting))
			}
			break
		}
		for i, p := range b.Message.Parts {
			if p.Call == nil && i >= v.part {
				v.complete(i, p.Text)
			}
		}
		v.end(b.Message)
		return &b.Message, v.failed
	}
	return nil, v.failed
}

// print prints streaming text, unless an earlier piece is missing; then complete prints it.
func (v *answerView) print(part, offset int, piece string) {
	v.begin(part)
	if offset == chat.UTF16Len(v.printed) {
		v.write(piece)
		v.printed += piece
	}
}

// complete prints what is missing of a part.
func (v *answerView) complete(part int, whole string) {
	v.begin(part)
	rest, ok := strings.CutPrefix(whole, v.printed)
	if !ok { // an attempt failed, and another one begins
		v.write("\n")
		rest = whole
	}
	v.write(rest)
	v.printed = whole
}

// begin separates a part from the one before.
func (v *answerView) begin(part int) {
	if part != v.part {
		if v.printed != "" {
			v.write("\n\n")
		}
		v.part, v.printed = part, ""
	}
}

func (v *answerView) write(s string) {
	if !v.silent && s != "" && v.failed == nil {
		v.failed = v.program.printf("%s", s)
	}
}

func (v *answerView) printCall(c chat.Call) {
	if v.silent {
		return
	}
	if c.Ask != nil {
		return // chatTerminal asks
	}
	if c.State == chat.CallRunning {
		v.program.errorf("%s %s\n", oneLine(c.Tool), text.SanitizeLine(c.Arguments, maxShownTitle))
	} else if c.State != chat.CallOK {
		v.program.errorf("  %s: %s\n", c.State, oneLine(c.Preview))
	}
}

// end ends the output with a line, and says how the answer ended if it is not done.
func (v *answerView) end(m chat.Message) {
	if v.printed != "" && !strings.HasSuffix(v.printed, "\n") {
		v.write("\n")
	}
	if v.silent {
		return
	}
	switch m.State {
	case chat.Stopped:
		v.program.errorf("Stopped.\n")
	case chat.Failed:
		v.program.errorf("%s: %s\n%s\n", v.program.Name, oneLine(m.Problem), oneLine(m.Hint))
	case chat.OutOfRounds:
		v.program.errorf("The answer used tools as often as it may. Write again to let it go on.\n")
	case chat.Interrupted, chat.Answering, chat.Done:
	}
}
