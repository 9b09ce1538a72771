package nsinit

import (
	"errors"
	"maps"
	"slices"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/rootfs"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// grant adds a grant to a running goal. The goal's init opens the files, because the sandboxes no longer contain the
// machine's, and the agent's init mounts them.
func (g *goalInit) grant(r wire.Request) error {
	if r.Listen != "" {
		fd, err := listenLoopback(r.Listen)
		if err != nil {
			return socket.Send(wire.Socket, wire.Answer{ID: r.ID, Error: socket.SandboxFailure("listening at "+r.Listen, err)})
		}
		err = socket.Send(wire.Socket, wire.Answer{ID: r.ID, Changed: true}, fd)
		return errors.Join(err, unix.Close(fd))
	}
	trees := make([]int, 0, len(r.Mounts))
	defer func() { socket.CloseAll(trees) }()
	for _, m := range r.Mounts {
		tree, err := rootfs.CloneTree(string(m.Source))
		if m.Itself {
			tree, err = rootfs.CloneLink(string(m.Source))
		}
		if err == nil {
			trees = append(trees, tree)
			err = rootfs.RestrictTree(tree, m.Write, false)
		}
		if err != nil {
			return socket.Send(wire.Socket, wire.Answer{ID: r.ID, Error: socket.SandboxFailure("opening what was granted", err)})
		}
	}
	for _, m := range r.Mounts {
		m.Optional = true // a later check starts even if the source no longer exists
		g.grants[r.ID] = append(g.grants[r.ID], m)
	}
	g.places.Remember(g.grantedMounts())
	return socket.Send(g.agent.socket, r, trees...)
}

// revokeForChecks removes a revoked grant from future checks.
func (g *goalInit) revokeForChecks(id uint64) {
	delete(g.grants, id)
	g.places.Retain(g.grantedMounts())
}

// grantedMounts returns the spec's mounts followed by those of the grants, in order.
func (g *goalInit) grantedMounts() wire.Spec {
	w := g.spec
	for _, id := range slices.Sorted(maps.Keys(g.grants)) {
		w.Mounts = append(slices.Clip(w.Mounts), g.grants[id]...)
	}
	return w
}
