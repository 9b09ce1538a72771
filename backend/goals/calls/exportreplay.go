package calls

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/recording"
	"goalpost/backend/storage/secret"
)

// recordOverhead is what a record needs besides its data: its number, time and size.
const recordOverhead = 90

func encodedSize(bytes int) int { return base64.StdEncoding.EncodedLen(bytes) + recordOverhead }

// terminalBytes returns how much the records of the terminals need.
func (ex *exporter) terminalBytes() (n int, err error) {
	err = ex.recording().scan(wantNoData, func(r recording.Record) error {
		if r.Kind == pane.Terminal {
			n += encodedSize(r.Bytes)
		}
		return nil
	})
	return n, err
}

func (ex *exporter) recording() goalRecording { return recordingOf(ex.ctx, ex.deps.Store, ex.row.Goal) }

// addReplay adds what the terminals showed, and then pictures of pages: of both the newest for which there is space.
func (ex *exporter) addReplay() error {
	panes, err := ex.recording().panes()
	if err != nil {
		return err
	}
	dropped, err := ex.addRecords(pane.Terminal)
	if err != nil {
		return err
	}
	if dropped.bytes > 0 {
		ex.leaveOut("the oldest %.1f MB of what terminals showed", float64(dropped.bytes)/1e6)
	}
	if dropped, err = ex.addRecords(pane.Browser); err != nil {
		return err
	}
	if dropped.records > 0 {
		ex.leaveOut("the oldest %d of %d pictures of pages", dropped.records, dropped.all)
	}
	for _, p := range panes {
		if list := ex.data.Records[p.Pane]; len(list) > 0 {
			p.Records = len(list)
			ex.data.Panes = append(ex.data.Panes, p)
		}
	}
	return nil
}

// droppedRecords counts the records of a kind that are left out.
type droppedRecords struct{ records, bytes, all int }

// addRecords adds the newest records of a kind.
func (ex *exporter) addRecords(kind pane.Kind) (d droppedRecords, err error) {
	var sizes []int
	err = ex.recording().scan(wantNoData, func(r recording.Record) error {
		if r.Kind == kind {
			sizes = append(sizes, r.Bytes)
		}
		return nil
	})
	if err != nil {
		return d, err
	}
	d.all, d.records = len(sizes), len(sizes)
	for space := ex.space - ex.space/50; d.records > 0; d.records-- { // hiding secrets may need some more
		if space -= encodedSize(sizes[d.records-1]); space < 0 {
			break
		}
	}
	for _, n := range sizes[:d.records] {
		d.bytes += n
	}
	n, masks := 0, recordMasks{mask: ex.deps.Mask, streams: map[string]*secret.Stream{}}
	isKept := func(r recording.Record) bool { return r.Kind == kind && n >= d.records }
	err = ex.recording().scan(isKept, func(r recording.Record) error {
		if r.Kind != kind {
			return nil
		}
		if n++; n <= d.records {
			return nil
		}
		return ex.addRecord(r, masks)
	})
	return d, errors.Join(err, ex.endRecords(masks))
}

// recordMasks hide secrets in what terminals showed. It was hidden when it was recorded, too: this one also knows the
// secrets that were saved later.
type recordMasks struct {
	mask    *secret.Mask
	streams map[string]*secret.Stream
}

// addRecord adds a record. Data of terminals may be held back until the next one.
func (ex *exporter) addRecord(r recording.Record, masks recordMasks) error {
	if r.Kind == pane.Terminal {
		stream := masks.streams[r.Pane]
		if stream == nil {
			stream = masks.mask.Stream()
			masks.streams[r.Pane] = stream
		}
		if r.Data = stream.Next(r.Data); len(r.Data) == 0 {
			return nil
		}
	}
	return ex.appendRecord(r.Pane, RecordView{
		AtMS: ex.recording().sinceStart(r.At), Width: r.Width, Height: r.Height,
		Data: base64.StdEncoding.EncodeToString(r.Data),
	})
}

// endRecords adds what the masks still hold back.
func (ex *exporter) endRecords(masks recordMasks) error {
	for name, stream := range masks.streams {
		rest, list := stream.End(), ex.data.Records[name]
		if len(rest) == 0 || len(list) == 0 {
			continue
		}
		var last RecordView
		if err := json.Unmarshal(list[len(list)-1], &last); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		last.Data = base64.StdEncoding.EncodeToString(rest)
		if err := ex.appendRecord(name, last); err != nil {
			return err
		}
	}
	return nil
}

// appendRecord adds a record with the next number of its pane, unless there is no space left for it.
func (ex *exporter) appendRecord(name string, v RecordView) error {
	v.N = len(ex.data.Records[name]) + 1
	raw, err := json.Marshal(v) // a mask does not see what is in base64
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if ex.take(len(raw)) {
		ex.data.Records[name] = append(ex.data.Records[name], raw)
	}
	return nil
}
