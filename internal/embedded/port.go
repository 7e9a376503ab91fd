package embedded

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are below the range for outgoing connections, so that no connection takes the port while Neo4j restarts.
const (
	firstPort = 20000
	portCount = 10000
	portTries = 50
)

// isFree reports whether the port on the loopback interface can be bound.
func isFree(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// choosePort returns the last port if it is free, else another free one.
func choosePort(last int) (int, error) {
	if last > 0 && isFree(last) {
		return last, nil
	}
	for range portTries {
		if port := firstPort + rand.IntN(portCount); isFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("choose port: no free one found from %d to %d on %s", firstPort, firstPort+portCount-1, host)
}
