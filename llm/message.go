package llm

// Message is one turn of what a language model is given.
type Message struct{ Role, Text string } // role: system, user, assistant

// Answer is what a language model said. ProviderID is the model that the provider names.
type Answer struct{ Text, ProviderID string }

// Availability says whether a language model can be asked.
type Availability string // available, downloading, unavailable
