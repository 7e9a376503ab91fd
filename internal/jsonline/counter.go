package jsonline

import "bytes"

// Counter counts the lines of the text written to it. The last line may lack its line break.
type Counter struct {
	ended int
	open  bool
}

// Write counts the lines of p. It never fails.
func (c *Counter) Write(p []byte) (int, error) {
	c.ended += bytes.Count(p, []byte("\n"))
	if len(p) > 0 {
		c.open = p[len(p)-1] != '\n'
	}
	return len(p), nil
}

// Lines returns how many lines were written.
func (c *Counter) Lines() int {
	if c.open {
		return c.ended + 1
	}
	return c.ended
}
