package exchange

import "strings"

// Role returns the role of a message in Kith for its name in another system: user for human and assistant for ai, in any case. Other
// roles stay.
func Role(name string) string {
	switch lower := strings.ToLower(strings.TrimSpace(name)); lower {
	case "user", "human":
		return "user"
	case "assistant", "ai":
		return "assistant"
	case "system", "developer", "tool", "function":
		return lower
	}
	return name
}
