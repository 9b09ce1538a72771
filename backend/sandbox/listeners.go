package sandbox

import "goalpost/backend/procnet"

// IsListening reports whether one of these processes of the same user listens on a TCP port.
func IsListening(processes []int, port int) bool {
	return port > 0 && port <= 65535 && procnet.OwnsListener(processes, uint16(port))
}
