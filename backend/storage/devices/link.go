package devices

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"time"

	"rsc.io/qr"

	"goalpost/backend/lib/fault"
)

const (
	linkLife = 10 * time.Minute
	maxLinks = 16 // the oldest open link ends for a new one
)

// Link logs in one device.
type Link struct {
	URL     string    `json:"url"`
	Expires time.Time `json:"expires"`
}

// QR draws the link as a QR code: rows of squares, of which # is dark. Their margin is not drawn.
func (l Link) QR() ([]string, error) {
	code, err := qr.Encode(l.URL, qr.L)
	if err != nil {
		return nil, fmt.Errorf("the QR code: %w", err)
	}
	rows := make([]string, code.Size)
	for y := range rows {
		row := bytes.Repeat([]byte{' '}, code.Size)
		for x := range row {
			if code.Black(x, y) {
				row[x] = '#'
			}
		}
		rows[y] = string(row)
	}
	return rows, nil
}

type openLink struct {
	Hash    string    `json:"hash"`
	Expires time.Time `json:"expires"`
}

// NewLink makes a link to the newest server that other machines can reach. It works once, within ten minutes.
func (l *List) NewLink() (Link, error) {
	f, err := l.read()
	if err != nil {
		return Link{}, err
	}
	if f.Address == "" {
		return Link{}, fault.New(fault.Unavailable, "no server was started that other devices can reach",
			"let other devices in first").OnCommandLine("start one: goalctl serve --listen 0.0.0.0:4444 --allow-remote")
	}
	secret := randomHex(16)
	link := Link{f.Address + "?link=" + url.QueryEscape(secret), l.now().Add(linkLife)}
	err = l.change(func(f *file) error {
		f.Links = slices.DeleteFunc(f.Links, func(o openLink) bool { return !l.now().Before(o.Expires) })
		if len(f.Links) >= maxLinks {
			f.Links = f.Links[1:]
		}
		f.Links = append(f.Links, openLink{digest(secret), link.Expires})
		return nil
	})
	return link, err
}

// UseLink uses up the link that a secret is of. It reports false if there is none, or its time is over.
func (l *List) UseLink(secret string) (ok bool, err error) {
	hash := digest(secret)
	err = l.change(func(f *file) error {
		i := slices.IndexFunc(f.Links, func(o openLink) bool { return o.Hash == hash })
		if i < 0 {
			return nil
		}
		ok = l.now().Before(f.Links[i].Expires)
		f.Links = slices.Delete(f.Links, i, i+1)
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("using a link: %w", err)
	}
	return ok, nil
}
