package relay

import (
	"encoding/json"
	"fmt"
	"strings"
)

// itemList is a list. On the wire it may also be a text, which stands for its only item.
type itemList[T textItem[T]] []T

// textItem is an item that may be sent as a text.
type textItem[T any] interface{ ofText(text string) T }

func (i *itemList[T]) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil { // also null, as an empty text
		var item T
		*i = itemList[T]{item.ofText(text)}
		return nil
	}
	var items []T
	if err := json.Unmarshal(b, &items); err != nil {
		return fmt.Errorf("neither a text nor a list of parts: %w", err)
	}
	*i = items
	return nil
}

// part is an item of a message's content.
type part interface {
	// textOrImage returns the text or the picture of a part, or neither if the part is ignored. Pictures must be in the
	// request; the host fetches none.
	textOrImage() (text string, image []byte, err error)
}

// textAndImages returns the text and the pictures of a message's content.
func textAndImages[T part](parts []T) (text string, images [][]byte, err error) {
	var texts []string
	for _, p := range parts {
		text, image, err := p.textOrImage()
		switch {
		case err != nil:
			return "", nil, err
		case image != nil:
			images = append(images, image)
		case text != "":
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n"), images, nil
}
