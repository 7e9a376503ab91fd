package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/graph"
)

// demoFiles hold the made-up life: who and what there is, how it hangs together, and what was talked about.
//
//go:embed demo/*.json
var demoFiles embed.FS

// demoLife is the whole of the demo. Keys are short; what is stored has them behind the user's id.
type demoLife struct {
	Persons, Concepts, Entities []demoNode
	Relationships               []demoRelationship
	Conversations               []demoConversation // oldest first
	Preferences                 []graph.Preference
	Projects                    []demoProject
	Links                       []demoLinks
}

// demoNode is a person, concept or entity. Accessed is a time as when reads it.
type demoNode struct {
	Key, Name, Description, Type, State, Accessed string
	TTLPolicy                                     string `json:"ttl_policy"`
	Salience                                      float64
	Owner, Goal                                   bool
}

// demoRelationship tells in Description how From and To relate; Word is its relationship_type.
type demoRelationship struct {
	From, To, Type, Word, Description string
	Salience                          float64
	Attitude, Proximity               int64
}

// demoConversation is told in turns; the user begins, and the assistant has every second one.
type demoConversation struct {
	Key, At, Summary string
	ContextType      string `json:"context_type"`
	Mentions, Turns  []string
}

// readDemo reads the embedded files.
func readDemo() (*demoLife, error) {
	life := &demoLife{}
	for name, into := range map[string]any{
		"persons": &life.Persons, "concepts": &life.Concepts, "entities": &life.Entities,
		"relationships": &life.Relationships, "conversations": &life.Conversations, "preferences": &life.Preferences,
		"projects": &life.Projects, "links": &life.Links,
	} {
		raw, err := demoFiles.ReadFile("demo/" + name + ".json")
		if err != nil {
			return nil, err
		}
		if err := decodeKnown(raw, into); err != nil {
			return nil, fmt.Errorf("read demo/%s.json: %w", name, err)
		}
	}
	return life, nil
}

// decodeKnown reads JSON that has no other fields than into.
func decodeKnown(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// demoZone is where the demo's user lives.
const demoZone = "Europe/Brussels"

// demoClock reads the demo's times, which count back from now.
type demoClock struct{ now time.Time }

func newDemoClock(now time.Time) (demoClock, error) {
	zone, err := time.LoadLocation(demoZone)
	if err != nil {
		return demoClock{}, err
	}
	return demoClock{now.In(zone)}, nil
}

// latestHours are when the newest conversation may have been: before work, at lunch, after dinner.
var latestHours = []string{"0d 19:30", "0d 12:40", "0d 07:10", "-1d 19:30"}

// when reads "-2d 09:30", two days ago at half past nine where the user lives; "latest" is the newest time of
// latestHours that is some hours ago.
func (c demoClock) when(text string) (time.Time, error) {
	if text == "latest" {
		return c.latest()
	}
	var days, hour, minute int
	if _, err := fmt.Sscanf(text, "%dd %d:%d", &days, &hour, &minute); err != nil {
		return time.Time{}, fmt.Errorf("read the time %q: %w", text, err)
	}
	year, month, day := c.now.Date()
	return time.Date(year, month, day+days, hour, minute, 0, 0, c.now.Location()).UTC(), nil
}

func (c demoClock) latest() (found time.Time, err error) {
	for _, text := range latestHours {
		if found, err = c.when(text); err != nil || found.Before(c.now.Add(-3*time.Hour)) {
			break
		}
	}
	return found, err
}

// demoKey is the entity key of one of the demo's own keys.
func demoKey(parts ...string) string { return demoUser + "/" + strings.Join(parts, "/") }

func demoKeys(own []string) []string {
	keys := make([]string, len(own))
	for i, key := range own {
		keys[i] = demoKey(key)
	}
	return keys
}
