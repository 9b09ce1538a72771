package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/recording"
	"goalpost/backend/storage/store"
)

func (p Program) recording() *cobra.Command {
	var out string
	c := addJSON(&cobra.Command{
		Use: "recording ID", Short: "List or export the recordings of a goal's panes",
		RunE: p.runWithRescuedStore(func(c *cobra.Command, a *calls.GoalAPI, s *store.Store, args []string) error {
			if out != "" {
				row, err := s.Goals.Find(c.Context(), args[0])
				if err != nil {
					return err
				}
				n, err := exportRecording(s.Recording(row.ID), out, row.StartedAt)
				if err != nil {
					return fmt.Errorf("recording: %w", err)
				}
				return p.printf("%d records written to %s: terminals as asciicast (.cast), pages as JPEGs named after the "+
					"milliseconds since the goal started\n", n, out)
			}
			v, err := a.Recording(args[0])
			return p.printResult(c, v, err, func() error {
				var b strings.Builder
				for _, r := range v.Panes {
					fmt.Fprintf(&b, "%-8s %-8s %8s to %-8s %6d records %8.1f MiB\n", r.Pane, r.Kind, formatSince(r.FromMS),
						formatSince(r.ToMS), r.Records, float64(r.Bytes)/(1<<20))
				}
				if len(v.Panes) == 0 {
					b.WriteString("Nothing was recorded: the goal used no pane.\n")
				}
				return p.printf("%s", b.String())
			})
		}),
	})
	c.Flags().StringVar(&out, "out", "", "write all recordings into this new folder")
	return c
}

func formatSince(ms int64) string {
	return goal.FormatDuration((time.Duration(ms) * time.Millisecond).Round(time.Second))
}

// exportRecording writes files that other programs can play, and returns the number of records.
func exportRecording(dir, out string, started time.Time) (n int, err error) {
	if err := os.Mkdir(out, 0o700); err != nil {
		return 0, fmt.Errorf("the folder: %w", err)
	}
	casts := asciicastWriter{dir: out, started: started, files: map[string]*os.File{}, sizes: map[string]string{}}
	defer func() { err = errors.Join(err, casts.close()) }()
	for _, kind := range []pane.Kind{pane.Terminal, pane.Browser} {
		err := recording.Read(dir, kind, func(r recording.Record) error {
			n++
			if !filepath.IsLocal(r.Pane) {
				return fmt.Errorf("a pane is called %q", r.Pane)
			}
			if kind == pane.Terminal {
				return casts.write(r)
			}
			folder := filepath.Join(out, r.Pane)
			name := fmt.Sprintf("%010d.jpg", max(0, r.At.Sub(started).Milliseconds()))
			return errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, name), r.Data, 0o600))
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// asciicastWriter writes terminals as asciicast version 2: a line of JSON with the size, and one for each output,
// with the seconds since the goal started.
type asciicastWriter struct {
	dir     string
	started time.Time
	files   map[string]*os.File
	sizes   map[string]string
}

func (a *asciicastWriter) write(r recording.Record) error {
	size := strconv.Itoa(r.Width) + "x" + strconv.Itoa(r.Height)
	f := a.files[r.Pane]
	if f == nil {
		var err error
		if f, err = os.OpenFile(filepath.Join(a.dir, r.Pane+".cast"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err != nil {
			return fmt.Errorf("cast: %w", err)
		}
		a.files[r.Pane], a.sizes[r.Pane] = f, size
		head := map[string]any{"version": 2, "width": r.Width, "height": r.Height, "timestamp": a.started.Unix()}
		if err := json.NewEncoder(f).Encode(head); err != nil {
			return fmt.Errorf("cast: %w", err)
		}
	}
	at := max(0, r.At.Sub(a.started).Seconds())
	lines := [][]any{{at, "o", text.ToUTF8(string(r.Data))}}
	if a.sizes[r.Pane] != size {
		a.sizes[r.Pane] = size
		lines = append([][]any{{at, "r", size}}, lines...)
	}
	for _, line := range lines {
		if err := json.NewEncoder(f).Encode(line); err != nil {
			return fmt.Errorf("cast: %w", err)
		}
	}
	return nil
}

func (a *asciicastWriter) close() error {
	var errs []error
	for _, f := range a.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
