package goal

import (
	"fmt"
	"strconv"
	"strings"

	"goalpost/backend/lib/fault"
)

// PageSize is the size of the pages that an agent opens: WIDTHxHEIGHT in CSS pixels, or the name of a device. "" is
// laptop. However users look at a page, its agent and the checks see it in this size.
type PageSize string

// devices are the sizes with a name.
var devices = []struct {
	name          string
	width, height int
}{{"laptop", 1280, 800}, {"phone", 390, 844}, {"tablet", 820, 1180}, {"desktop", 1920, 1080}}

// The limits of a page's width and height.
const (
	minPageSize = 64
	maxPageSize = 4096
)

// Pixels returns the width and the height.
func (p PageSize) Pixels() (width, height int, err error) {
	if p == "" {
		p = "laptop"
	}
	for _, d := range devices {
		if d.name == string(p) {
			return d.width, d.height, nil
		}
	}
	w, h, _ := strings.Cut(string(p), "x")
	width, widthErr := strconv.Atoi(w)
	height, heightErr := strconv.Atoi(h)
	if widthErr != nil || heightErr != nil || min(width, height) < minPageSize || max(width, height) > maxPageSize {
		return 0, 0, fault.Invalid("page_size", fmt.Sprintf("%q is not the size of a page", string(p)),
			fmt.Sprintf("use %s, or WIDTHxHEIGHT with %d to %d pixels each", strings.Join(PageDevices(), ", "), minPageSize,
				maxPageSize))
	}
	return width, height, nil
}

// PageDevices lists the names of sizes, the default first.
func PageDevices() []string {
	names := make([]string, 0, len(devices))
	for _, d := range devices {
		names = append(names, d.name)
	}
	return names
}
