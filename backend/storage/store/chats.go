package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"goalpost/backend/domain/chat"
)

// ChatTable stores chats: their heads, messages, and what the model said and read.
type ChatTable struct {
	*connection

	redact func([]byte) []byte // removes secrets from JSON before it is stored; may be nil
}

// ChatMessage is a stored message with its place in the tree of its chat.
type ChatMessage struct {
	chat.Message

	Parent   int64        // the message before it, 0 for the first one
	Entries  []chat.Entry // what the model said and read within it
	Pictures [][]byte     // by attachment; nil where it has none
}

const chatColumns = `c.id, c.title, c.workspace, c.dir, c.provider, c.model, c.effort, c.goal_id, c.branched_from,
	c.allow_hosts, c.window_used, c.window, c.created_at, c.updated_at,
	coalesce((SELECT sum(m.tokens_in) FROM chat_messages m WHERE m.chat_id = c.id), 0),
	coalesce((SELECT sum(m.tokens_out) FROM chat_messages m WHERE m.chat_id = c.id), 0),
	coalesce((SELECT sum(m.usd) FROM chat_messages m WHERE m.chat_id = c.id), 0.0),
	coalesce((SELECT max(m.guessed) FROM chat_messages m WHERE m.chat_id = c.id), 0)`

// chatDestinations returns the destinations for the values of chatColumns.
func chatDestinations(c *chat.Chat) []any {
	return []any{
		&c.ID, &c.Title, &c.Workspace, &c.Dir, &c.Provider, &c.Model, &c.Effort, &c.GoalID, &c.From,
		jsonColumn{&c.AllowHosts},
		&c.WindowUsed, &c.Window,
		timeColumn{&c.CreatedAt},
		timeColumn{&c.UpdatedAt},
		&c.Spent.TokensIn, &c.Spent.TokensOut, &c.Spent.USD, &c.Spent.Guessed,
	}
}

// Create stores a new chat without messages. It sets the id and the times.
func (ct *ChatTable) Create(ctx context.Context, c chat.Chat) (chat.Chat, error) {
	c.ID, c.CreatedAt = chat.ID(NewID()), ct.now()
	c.UpdatedAt = c.CreatedAt
	hosts, err := ct.hosts(&c)
	if err != nil {
		return c, err
	}
	return c, ct.commitStatement(ctx, "create a chat", `INSERT INTO chats (id, title, workspace, dir, provider, model,
		effort, goal_id, branched_from, allow_hosts, created_at, updated_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`,
		c.ID, c.Title, c.Workspace, c.Dir, c.Provider, c.Model, c.Effort, c.GoalID, c.From, hosts,
		formatTime(c.CreatedAt), formatTime(c.UpdatedAt))
}

// Get reads the head of a chat. The id may be a unique part of six characters or more.
func (ct *ChatTable) Get(ctx context.Context, id string) (chat.Chat, error) {
	list, err := readRows(ctx, ct.read, "read a chat", func(r scanner, c *chat.Chat) error {
		return r.Scan(chatDestinations(c)...)
	}, "SELECT "+chatColumns+" FROM chats c WHERE c.id = ? OR (length(?) >= 6 AND c.id LIKE ? ESCAPE '\\') LIMIT 2",
		id, id, "%"+escapeLike(strings.ToLower(id))+"%")
	switch {
	case err != nil:
		return chat.Chat{}, err
	case len(list) == 1:
		return list[0], nil
	case len(list) > 1:
		return chat.Chat{}, fmt.Errorf("%w: several have %q in their ids", chat.ErrNotFound, id)
	}
	return chat.Chat{}, fmt.Errorf("%w: %q", chat.ErrNotFound, id)
}

// Save stores what can be changed of a chat: title, folder, provider, model, effort and allowed hosts.
func (ct *ChatTable) Save(ctx context.Context, c chat.Chat) error {
	hosts, err := ct.hosts(&c)
	if err != nil {
		return err
	}
	return ct.commitStatement(ctx, "change a chat",
		"UPDATE chats SET title = ?, dir = ?, provider = ?, model = ?, effort = ?, allow_hosts = ? WHERE id = ?",
		c.Title, c.Dir, c.Provider, c.Model, c.Effort, hosts, c.ID)
}

// hosts returns the hosts that are allowed in a chat as JSON, and makes them a list if there are none.
func (ct *ChatTable) hosts(c *chat.Chat) (string, error) {
	if c.AllowHosts == nil {
		c.AllowHosts = []string{}
	}
	return ct.json(c.AllowHosts)
}

// Delete deletes a chat with all its messages.
func (ct *ChatTable) Delete(ctx context.Context, id chat.ID) error {
	return ct.commitStatement(ctx, "delete a chat", "DELETE FROM chats WHERE id = ?", id)
}

// ChatQuery selects chats.
type ChatQuery struct {
	Words     string // all of them are in the title, or in one message; "" finds all
	Workspace string // "" is every one
	After     chat.ID
	Limit     int
}

// FoundChat is a chat with the text of the newest message that has the words of a query.
type FoundChat struct {
	chat.Chat

	Text string // "" if the title has them
}

// List reads chats, the one that changed last first.
func (ct *ChatTable) List(ctx context.Context, q ChatQuery) ([]FoundChat, error) {
	inTitle, inBody := "1 = 1", "1 = 1"
	var words []any
	for _, w := range strings.Fields(q.Words) {
		inTitle += ` AND lower(c.title) LIKE ? ESCAPE '\'`
		inBody += ` AND lower(m.body) LIKE ? ESCAPE '\'`
		words = append(words, "%"+escapeLike(strings.ToLower(w))+"%")
	}
	where, args := "1 = 1", []any{}
	args = append(append(args, words...), words...) // of the text column
	if len(words) > 0 {
		where += " AND ((" + inTitle + ") OR EXISTS (SELECT 1 FROM chat_messages m WHERE m.chat_id = c.id AND " +
			inBody + "))"
		args = append(append(args, words...), words...)
	}
	if q.Workspace != "" {
		where += " AND c.workspace = ?"
		args = append(args, q.Workspace)
	}
	if q.After != "" {
		where += ` AND (c.updated_at < (SELECT updated_at FROM chats WHERE id = ?) OR
			(c.updated_at = (SELECT updated_at FROM chats WHERE id = ?) AND c.id < ?))`
		args = append(args, q.After, q.After, q.After)
	}
	text := "CASE WHEN " + inTitle + " THEN '' ELSE coalesce((SELECT m.body FROM chat_messages m " +
		"WHERE m.chat_id = c.id AND " + inBody + " ORDER BY m.id DESC LIMIT 1), '') END"
	return readRows(ctx, ct.read, "list chats", func(r scanner, c *FoundChat) error {
		return r.Scan(append(chatDestinations(&c.Chat), &c.Text)...)
	}, "SELECT "+chatColumns+", "+text+" FROM chats c WHERE "+where+
		" ORDER BY c.updated_at DESC, c.id DESC LIMIT ?", append(args, q.Limit)...)
}

// escapeLike escapes what LIKE treats as a pattern.
func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)
}

// Shown returns the newest message of the branch that the user sees, 0 if there is none.
func (ct *ChatTable) Shown(ctx context.Context, id chat.ID) (int64, error) {
	return readValue[int64](ctx, ct.read, "read a chat", "SELECT shown FROM chats WHERE id = ?", id)
}

// Show changes the branch that the user sees.
func (ct *ChatTable) Show(ctx context.Context, id chat.ID, newest int64) error {
	return ct.commitStatement(ctx, "show a branch", "UPDATE chats SET shown = ? WHERE id = ?", newest, id)
}

// Add stores a message at the end of a branch, which the user sees from then on. It sets the id and the time.
func (ct *ChatTable) Add(ctx context.Context, id chat.ID, m ChatMessage) (ChatMessage, error) {
	m.At = ct.now()
	err := ct.tx(ctx, func(tx *sql.Tx) error {
		var err error
		m.ID, err = readValue[int64](ctx, tx, "number a message",
			"SELECT coalesce(max(id), 0) + 1 FROM chat_messages WHERE chat_id = ?", id)
		if err != nil {
			return err
		}
		attachments, err := ct.json(m.Attachments)
		if err != nil {
			return err
		}
		err = execStatement(ctx, tx, "add a message", `INSERT INTO chat_messages (chat_id, id, parent, role, body,
			attachments, state, problem, hint, model, goal_id, tokens_in, tokens_out, usd, guessed, at)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
			id, m.ID, m.Parent, m.Role, ct.text(m.Text), attachments, m.State, m.Problem, m.Hint, m.Model, m.GoalID,
			m.Usage.TokensIn, m.Usage.TokensOut, m.Usage.USD, boolInt(m.Usage.Guessed), formatTime(m.At))
		if err != nil {
			return err
		}
		for n, e := range m.Entries {
			if err := ct.addEntry(ctx, tx, id, m.ID, n, e); err != nil {
				return err
			}
		}
		for n, picture := range m.Pictures {
			if picture == nil {
				continue
			}
			err := execStatement(ctx, tx, "add a picture",
				"INSERT INTO chat_pictures (chat_id, message_id, n, picture) VALUES (?,?,?,?)", id, m.ID, n, picture)
			if err != nil {
				return err
			}
		}
		return execStatement(ctx, tx, "add a message", "UPDATE chats SET shown = ?, updated_at = ? WHERE id = ?",
			m.ID, formatTime(m.At), id)
	})
	return m, err
}

// AddEntry stores the nth entry of a message.
func (ct *ChatTable) AddEntry(ctx context.Context, id chat.ID, message int64, n int, e chat.Entry) error {
	return ct.tx(ctx, func(tx *sql.Tx) error { return ct.addEntry(ctx, tx, id, message, n, e) })
}

func (ct *ChatTable) addEntry(ctx context.Context, tx *sql.Tx, id chat.ID, message int64, n int, e chat.Entry) error {
	body, err := ct.json(e)
	if err != nil {
		return err
	}
	return execStatement(ctx, tx, "add to a message",
		"INSERT INTO chat_entries (chat_id, message_id, n, body) VALUES (?,?,?,?)", id, message, n, body)
}

// SaveAnswer stores what changes of an answer: its text, state, problem, model and cost.
func (ct *ChatTable) SaveAnswer(ctx context.Context, id chat.ID, m chat.Message) error {
	return ct.tx(ctx, func(tx *sql.Tx) error {
		err := execStatement(ctx, tx, "save an answer", `UPDATE chat_messages SET body = ?, state = ?, problem = ?, hint = ?,
			model = ?, tokens_in = ?, tokens_out = ?, usd = ?, guessed = ? WHERE chat_id = ? AND id = ?`,
			ct.text(m.Text), m.State, ct.text(m.Problem), m.Hint, m.Model, m.Usage.TokensIn, m.Usage.TokensOut, m.Usage.USD,
			boolInt(m.Usage.Guessed), id, m.ID)
		if err != nil {
			return err
		}
		return execStatement(ctx, tx, "save an answer", "UPDATE chats SET updated_at = ? WHERE id = ?",
			formatTime(ct.now()), id)
	})
}

// SaveWindow stores how full the model's window was at the newest turn of a chat, in tokens.
func (ct *ChatTable) SaveWindow(ctx context.Context, id chat.ID, used int64, size int) error {
	return ct.commitStatement(ctx, "save how full a model's window is",
		"UPDATE chats SET window_used = ?, window = ? WHERE id = ?", used, size, id)
}

// InterruptAnswers marks answers whose process ended while they were written.
func (ct *ChatTable) InterruptAnswers(ctx context.Context, id chat.ID) error {
	return ct.commitStatement(ctx, "mark interrupted answers",
		"UPDATE chat_messages SET state = ? WHERE chat_id = ? AND state = ?", chat.Interrupted, id, chat.Answering)
}

// Messages reads every message of a chat, of all branches, with its entries and pictures, in the order of the ids.
func (ct *ChatTable) Messages(ctx context.Context, id chat.ID) ([]ChatMessage, error) {
	list, err := readRows(ctx, ct.read, "read a chat", func(r scanner, m *ChatMessage) error {
		m.Attachments = []chat.Attachment{}
		return r.Scan(&m.ID, &m.Parent, &m.Role, &m.Text, jsonColumn{&m.Attachments}, &m.State, &m.Problem, &m.Hint,
			&m.Model, &m.GoalID, &m.Usage.TokensIn, &m.Usage.TokensOut, &m.Usage.USD, &m.Usage.Guessed, timeColumn{&m.At})
	}, `SELECT id, parent, role, body, attachments, state, problem, hint, model, goal_id, tokens_in, tokens_out, usd,
		guessed, at FROM chat_messages WHERE chat_id = ? ORDER BY id`, id)
	if err != nil {
		return nil, err
	}
	at := make(map[int64]*ChatMessage, len(list))
	for i := range list {
		at[list[i].ID] = &list[i]
	}
	err = visitRows(ctx, ct.read, "read a chat", func(r scanner) error {
		var message int64
		var e chat.Entry
		if err := r.Scan(&message, jsonColumn{&e}); err != nil {
			return err
		}
		if m := at[message]; m != nil {
			m.Entries = append(m.Entries, e)
		}
		return nil
	}, "SELECT message_id, body FROM chat_entries WHERE chat_id = ? ORDER BY message_id, n", id)
	if err != nil {
		return nil, err
	}
	return list, visitRows(ctx, ct.read, "read pictures", func(r scanner) error {
		var message int64
		var n int
		var picture []byte
		if err := r.Scan(&message, &n, &picture); err != nil {
			return err
		}
		if m := at[message]; m != nil {
			for len(m.Pictures) <= n {
				m.Pictures = append(m.Pictures, nil)
			}
			m.Pictures[n] = picture
		}
		return nil
	}, "SELECT message_id, n, picture FROM chat_pictures WHERE chat_id = ?", id)
}

// json encodes a value without secrets.
func (ct *ChatTable) json(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode for a chat: %w", err)
	}
	if ct.redact != nil {
		b = ct.redact(b)
	}
	return string(b), nil
}

// text removes secrets from a text.
func (ct *ChatTable) text(s string) string {
	if ct.redact == nil {
		return s
	}
	return string(ct.redact([]byte(s)))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
