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

// demoFiles holds the demo's persons, concepts, entities, relationships, conversations and projects.
//
//go:embed demo/*.json
var demoFiles embed.FS

// demoData is the content of the demo. Its keys are short; stored keys are prefixed with the user's id.
type demoData struct {
	Persons, Concepts, Entities []demoNode
	Relationships               []demoRelationship
	Conversations               []demoConversation // oldest first
	Preferences                 []graph.Preference
	Projects                    []demoProject
	Links                       []demoLinks
}

// demoNode is a person, concept or entity. Accessed is a time that demoClock parses.
type demoNode struct {
	Key, Name, Description, Type, State, Accessed string
	TTLPolicy                                     string `json:"ttl_policy"`
	Salience                                      float64
	Owner, Goal                                   bool
}

// demoRelationship is a relationship. Word is its relationship_type.
type demoRelationship struct {
	From, To, Type, Word, Description string
	Salience                          float64
	Attitude, Proximity               int64
}

// demoConversation is a conversation. Its turns alternate between user and assistant, beginning with the user.
type demoConversation struct {
	Key, At, Summary string
	ContextType      string `json:"context_type"`
	Mentions, Turns  []string
}

// readDemo reads the embedded files.
func readDemo() (*demoData, error) {
	data := &demoData{}
	for name, into := range map[string]any{
		"persons": &data.Persons, "concepts": &data.Concepts, "entities": &data.Entities,
		"relationships": &data.Relationships, "conversations": &data.Conversations, "preferences": &data.Preferences,
		"projects": &data.Projects, "links": &data.Links,
	} {
		raw, err := demoFiles.ReadFile("demo/" + name + ".json")
		if err != nil {
			return nil, err
		}
		if err := decodeKnown(raw, into); err != nil {
			return nil, fmt.Errorf("read demo/%s.json: %w", name, err)
		}
	}
	return data, nil
}

// decodeKnown decodes JSON and refuses fields that into does not have.
func decodeKnown(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// demoZone is the time zone of the demo's user.
const demoZone = "Europe/Brussels"

// demoClock parses the demo's times, which are relative to now.
type demoClock struct{ now time.Time }

func newDemoClock(now time.Time) (demoClock, error) {
	zone, err := time.LoadLocation(demoZone)
	if err != nil {
		return demoClock{}, err
	}
	return demoClock{now.In(zone)}, nil
}

// latestHours are the possible times of the newest conversation: before work, at lunch, after dinner.
var latestHours = []string{"0d 19:30", "0d 12:40", "0d 07:10", "-1d 19:30"}

// parse parses a time such as "-2d 09:30": two days ago at 09:30 in demoZone. "latest" is the newest of latestHours
// that is at least three hours ago.
func (c demoClock) parse(text string) (time.Time, error) {
	if text == "latest" {
		return c.latestTime()
	}
	var days, hour, minute int
	if _, err := fmt.Sscanf(text, "%dd %d:%d", &days, &hour, &minute); err != nil {
		return time.Time{}, fmt.Errorf("parse time %q: %w", text, err)
	}
	year, month, day := c.now.Date()
	return time.Date(year, month, day+days, hour, minute, 0, 0, c.now.Location()).UTC(), nil
}

func (c demoClock) latestTime() (found time.Time, err error) {
	for _, text := range latestHours {
		if found, err = c.parse(text); err != nil || found.Before(c.now.Add(-3*time.Hour)) {
			break
		}
	}
	return found, err
}

// demoKey returns the entity key for a short key of the demo.
func demoKey(parts ...string) string { return demoUser + "/" + strings.Join(parts, "/") }

func demoKeys(short []string) []string {
	keys := make([]string, len(short))
	for i, key := range short {
		keys[i] = demoKey(key)
	}
	return keys
}
