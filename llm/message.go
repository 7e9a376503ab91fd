package llm

// Message is a part of a conversation with a language model. Role is system, user or assistant.
type Message struct{ Role, Text string }

// Answer is what a model said, and which provider it came from.
type Answer struct{ Text, ProviderID string }

// Availability says whether a model can be asked now.
type Availability string

// The availabilities of a model.
const (
	Available   Availability = "available"
	Downloading Availability = "downloading"
	Unavailable Availability = "unavailable"
)
