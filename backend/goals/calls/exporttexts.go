package calls

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// exportPage is how many rows of the journal are read at once.
const exportPage = 500

// textLimits are how much of a long output is shown, in bytes: the first one with which everything fits.
var textLimits = []int{math.MaxInt, 64 << 10, 16 << 10, 2 << 10}

// exportTexts are the activity and the outputs of checks, with outputs of at most a length.
type exportTexts struct {
	entries []json.RawMessage
	outputs map[string]json.RawMessage
	size    int
	cut     int // texts that are not whole
	dropped int // entries that are missing
}

// addTexts adds the activity and the outputs of checks. The terminals have precedence before outputs that are long.
func (ex *exporter) addTexts() error {
	terminals, err := ex.terminalBytes()
	if err != nil {
		return err
	}
	for i, limit := range textLimits {
		isLast := i == len(textLimits)-1
		space := ex.space - terminals
		if isLast {
			space = ex.space
		}
		texts, fits, err := ex.textsWithin(limit, space, isLast)
		if err != nil {
			return err
		}
		if !fits {
			continue
		}
		ex.space -= texts.size
		ex.data.Entries, ex.data.Outputs = texts.entries, texts.outputs
		if texts.cut > 0 {
			ex.leaveOut("the middle of %s", goal.FormatCount(texts.cut, "long output"))
		}
		if texts.dropped > 0 {
			ex.leaveOut("the oldest %d entries of the activity", texts.dropped)
		}
		return nil
	}
	return nil
}

// textsWithin collects the texts with at most limit bytes of each. If they need more space, the oldest entries are
// dropped, or it reports that they do not fit.
func (ex *exporter) textsWithin(limit, space int, mayDrop bool) (t exportTexts, fits bool, err error) {
	t.entries, t.outputs = []json.RawMessage{}, map[string]json.RawMessage{}
	if fits, err = ex.addOutputs(&t, limit, space, mayDrop); err != nil || !fits {
		return t, false, err
	}
	for offset := 0; ; offset += exportPage {
		page, err := ex.deps.Goals.Transcript(string(ex.row.ID), TranscriptInput{Offset: offset, Limit: exportPage})
		if err != nil {
			return t, false, err
		}
		for _, e := range page.Entries {
			raw, err := ex.encode(ex.shorten(e, limit, &t.cut))
			if err != nil {
				return t, false, err
			}
			t.entries, t.size = append(t.entries, raw), t.size+len(raw)+1
			if t.size > space && !mayDrop {
				return t, false, nil
			}
			for t.size > space && len(t.entries) > 0 {
				t.size, t.entries, t.dropped = t.size-len(t.entries[0])-1, t.entries[1:], t.dropped+1
			}
		}
		if len(page.Entries) < exportPage {
			return t, true, nil
		}
	}
}

// shorten returns an entry with at most limit bytes of each of its texts, and counts the cut ones.
func (ex *exporter) shorten(e TranscriptEntry, limit int, cut *int) TranscriptEntry {
	e.Text, e.Reasoning = ex.shortText(e.Text, limit, cut), ex.shortText(e.Reasoning, limit, cut)
	if len(e.Arguments) <= limit {
		return e
	}
	var args map[string]any
	if json.Unmarshal([]byte(e.Arguments), &args) != nil {
		e.Arguments = ex.shortText(e.Arguments, limit, cut)
		return e
	}
	for name, value := range args {
		if s, ok := value.(string); ok {
			args[name] = ex.shortText(s, limit, cut)
		}
	}
	if b, err := json.Marshal(args); err == nil {
		e.Arguments = ex.shortText(string(b), 2*limit, cut) // also if not one text is long, but a list
	}
	return e
}

// shortText hides secrets before it cuts: no part of one is left at a cut.
func (ex *exporter) shortText(s string, limit int, cut *int) string {
	if len(s) <= limit {
		return s
	}
	*cut++
	return text.ToUTF8(string(text.TruncateMiddle([]byte(ex.deps.Mask.Text(s)), limit)))
}

// addOutputs adds the outputs of the checks of all claims, the newest first.
func (ex *exporter) addOutputs(t *exportTexts, limit, space int, mayDrop bool) (fits bool, err error) {
	receipt, err := ex.deps.Goals.Receipt(string(ex.row.ID))
	if err != nil {
		return false, err
	}
	for i := len(receipt.Claims) - 1; i >= 0; i-- {
		for _, v := range receipt.Claims[i].Verdicts {
			if _, has := t.outputs[v.Evidence]; has || v.Evidence == "" {
				continue
			}
			output, err := ex.deps.Store.Artifacts.Artifact(v.Evidence)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return false, err
			}
			raw, err := ex.encode(ex.shortText(text.ToUTF8(string(output)), limit, &t.cut))
			if err != nil {
				return false, err
			}
			if t.size+len(raw) > space/2 {
				if !mayDrop {
					return false, nil
				}
				t.cut++
				continue
			}
			t.outputs[v.Evidence], t.size = raw, t.size+len(raw)+len(v.Evidence)+4
		}
	}
	return true, nil
}
