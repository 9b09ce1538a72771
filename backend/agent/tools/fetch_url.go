package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decodes pictures for fetch_url
	"image/png"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"goalpost/backend/agent/tools/webpage"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

const (
	// maxFetch limits how much of a response is read, in bytes after decompression.
	maxFetch     = 4 << 20
	maxFetchText = 1 << 20 // of a converted page, in bytes
	fetchTimeout = 60 * time.Second
	maxRedirects = 8
	// maxPicturePixels limits the memory that decoding a small file can take.
	maxPicturePixels = 40_000_000
)

type fetchURLArgs struct {
	URL   string `json:"url"`
	Whole bool   `json:"whole,omitempty"`
}

func fetchURL(r Deps) (Tool, error) {
	return defineTool("fetch_url", func(_ context.Context, a fetchURLArgs) (policy.Effect, error) {
		if a.URL == "about:blank" {
			return policy.Effect{}, errors.New("about:blank is not an address to read")
		}
		return addressEffect(a.URL, policy.ReadOnly, policy.NetworkGet)
	}, func(ctx context.Context, a fetchURLArgs) goal.Result {
		if r.Web == nil {
			return failedResult("this goal has no network access for fetch_url")
		}
		mark := r.markLogs()
		limited, cancel := context.WithTimeout(ctx, fetchTimeout)
		defer cancel()
		result, err := r.fetch(limited, a)
		switch {
		case err != nil && limited.Err() != nil && ctx.Err() == nil:
			result = failedResult("%s did not answer within %s", text.TruncateBytes(a.URL, 400),
				goal.FormatDuration(fetchTimeout))
		case err != nil:
			result = failedResult("%s", wrapOutside("the request", text.TruncateBytes(err.Error(), 2000)))
		}
		result.Text += r.refusedSince(mark)
		return result
	})
}

// fetch requests an address, follows redirects, and converts the response.
func (d Deps) fetch(ctx context.Context, a fetchURLArgs) (result goal.Result, err error) {
	res, err := d.get(ctx, a.URL)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	if to, err := res.Location(); err == nil && isRedirect(res.StatusCode) {
		return goal.Result{Text: "the server redirects to another address, which was not opened. If you need it, call " +
			"fetch_url with it:\n" + wrapOutside("the server's answer", text.TruncateBytes(to.String(), 2000))}, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxFetch+1))
	if err != nil && len(body) == 0 {
		return result, fmt.Errorf("reading the answer: %w", err)
	}
	cut := err != nil || len(body) > maxFetch // an interrupted response is used as far as it came
	return d.describeResponse(ctx, res, body[:min(len(body), maxFetch)], cut, a.Whole), nil
}

// get requests an address like a program of the goal, and follows redirects. The caller closes the body.
func (d Deps) get(ctx context.Context, address string) (*http.Response, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	request.URL.User = nil // do not send a password in the address
	request.Header.Set("User-Agent", "Goalpost (fetch_url)")
	request.Header.Set("Accept", "text/markdown, text/html, application/json, text/*;q=0.9, image/*;q=0.8, */*;q=0.5")
	client := http.Client{Transport: d.Web, CheckRedirect: d.checkRedirect}
	res, err := client.Do(request)
	if err != nil {
		return nil, describeFetchError(err)
	}
	return res, nil
}

// checkRedirect decides whether to follow a redirect. The goal's proxy checks each host again. Without a proxy,
// another host needs a separate call; so does the goal's own loopback, to which no page on the web may redirect.
func (d Deps) checkRedirect(to *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	case to.URL.Scheme != "http" && to.URL.Scheme != "https":
		return fmt.Errorf("the server redirects to %s, which is not a web address",
			text.TruncateBytes(to.URL.String(), 200))
	case !strings.EqualFold(to.URL.Hostname(), from.Hostname()) && (d.Network == nil || isLoopback(to.URL.Hostname())):
		return http.ErrUseLastResponse
	}
	to.Header.Del("Referer")
	to.URL.User = nil
	return nil
}

func isRedirect(status int) bool { return status >= 300 && status < 400 }

// describeFetchError drops the text that net/http puts before the cause.
func describeFetchError(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// describeResponse converts a response by its type.
func (d Deps) describeResponse(
	ctx context.Context, res *http.Response, body []byte, cut bool, withMenus bool,
) goal.Result {
	at := res.Request.URL
	contentType := res.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" {
		contentType = http.DetectContentType(body)
		kind, _, _ = mime.ParseMediaType(contentType)
	}
	head := []string{fmt.Sprintf("%s, %s, %d bytes, from %s", res.Status, kind, len(body), at.Redacted())}
	if cut {
		head = append(head, "The answer is incomplete: this is its beginning.")
	}
	result := goal.Result{OK: res.StatusCode < 400}
	content := ""
	switch {
	case strings.HasPrefix(kind, "image/") && kind != "image/svg+xml":
		return d.describeImage(ctx, result, head, body, at.Redacted())
	case kind == "text/html" || kind == "application/xhtml+xml":
		page, err := webpage.FromHTML(webpage.DecodeText(body, contentType), at, withMenus)
		if err != nil {
			return goal.Result{Text: wrapOutside(at.Redacted(), strings.Join(append(head, err.Error()), "\n"))}
		}
		if page.Title != "" {
			head = append(head, "Title: "+text.TruncateBytes(page.Title, 300))
		}
		if page.Part {
			head = append(head, "This is the main content. whole=true adds menus, sidebars and footers.")
		}
		if content = page.Text; content == "" {
			content = "(The page has no text. It may need scripts: use browser_open.)"
		}
	case kind == "application/pdf" && d.PDFs != nil && !cut:
		if content, err = d.PDFs.Text(ctx, body); err != nil {
			head = append(head, err.Error())
		}
	case kind == "application/pdf" && d.PDFs != nil:
		head = append(head, "This PDF is too long to be read here: use browser_open.")
	case isTextKind(kind) || webpage.IsText(body):
		content = webpage.DecodeText(body, contentType)
	default:
		head = append(head, "This is not text. Save it with run_command (curl -o) if you need it.")
	}
	if len(content) > maxFetchText {
		content = text.TruncateBytes(content, maxFetchText)
		head = append(head, "The text was cut off after 1 MiB.")
	}
	result.Text = wrapOutside(at.Redacted(), strings.Join(head, "\n")+"\n\n"+content)
	return result
}

func isTextKind(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		kind == "application/json" || kind == "application/xml" || kind == "application/javascript" ||
		kind == "application/yaml" || kind == "application/toml"
}

// describeImage asks the vision model to describe a picture, and stores the picture with the step.
func (d Deps) describeImage(
	ctx context.Context, result goal.Result, head []string, body []byte, from string,
) goal.Result {
	say := func(lines ...string) string { return wrapOutside(from, strings.Join(append(head, lines...), "\n")) }
	shape, format, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil || shape.Width*shape.Height > maxPicturePixels {
		text := say("This picture cannot be opened here. Save it with run_command (curl -o) if you need it.")
		return goal.Result{Text: text}
	}
	head = append(head, fmt.Sprintf("A picture, %s, %d × %d pixels.", format, shape.Width, shape.Height))
	picture, err := pngOf(body, format)
	if err != nil {
		return goal.Result{Text: say(err.Error())}
	}
	result.Image = picture
	if format == "jpeg" || format == "png" {
		result.Image = body
	}
	if d.Vision == nil {
		result.Text = say(errNoVisionModel.Error())
		return result
	}
	reply, err := d.Vision.Ask(ctx, lookSystem, "Describe this picture from the web. Copy text in it exactly.", picture)
	if err != nil {
		result.Text = say("It could not be described: " + err.Error())
		return result
	}
	result.Usage = reply.Usage
	result.Text = say("A model describes it:", reply.Text)
	return result
}

// pngOf returns a picture in a size and format that models accept.
func pngOf(body []byte, format string) ([]byte, error) {
	if format != "png" {
		first, _, err := image.Decode(bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("the picture: %w", err)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, first); err != nil {
			return nil, fmt.Errorf("the picture: %w", err)
		}
		body = b.Bytes()
	}
	picture, _, err := scalePicture(body)
	return picture, err
}
