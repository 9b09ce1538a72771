package rootfs

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// sourceFor opens the source of a bind mount. A check gets its own folder instead of one that the agent can write:
// the agent's configuration or cache could change how the check's programs behave.
func (rb *rootBuilder) sourceFor(n int, m wire.Mount) (int, error) {
	if m.Itself {
		return CloneLink(string(m.Source))
	}
	if !rb.check || !m.Fresh {
		return CloneTree(string(m.Source))
	}
	base := filepath.Join(string(rb.spec.Scratch), fmt.Sprintf("fresh-%d", n))
	upper, work := filepath.Join(base, "upper"), filepath.Join(base, "work")
	if err := MakeOwnedDirs(rb.spec, base, upper, work); err != nil {
		return -1, err
	}
	if len(m.Below) == 0 {
		return CloneTree(upper)
	}
	if err := os.Chmod(upper, 0o755); err != nil { //nolint:gosec // the folder's mode shines through
		return -1, err //nolint:wrapcheck // it says chmod and the path
	}
	tree, err := NewFilesystem("overlay", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV,
		"lowerdir="+escapeOverlayPath(string(m.Below)), "upperdir="+upper, "workdir="+work, "userxattr")
	if err != nil { // the cache starts empty, as for the goal's own caches
		return CloneTree(upper)
	}
	return tree, nil
}
