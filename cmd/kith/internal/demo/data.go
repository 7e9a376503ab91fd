package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/memory/preference"
)

// files holds the demo's persons, concepts, entities, relationships, conversations and projects.
//
//go:embed data/*.json
var files embed.FS

// dataset is the content of the demo. Its keys are short; stored keys are prefixed with the user's id.
type dataset struct {
	Persons, Concepts, Entities []node
	Relationships               []relationship
	Conversations               []conversation // oldest first
	Preferences                 []preference.Preference
	Projects                    []project
	Links                       []linkList
}

// node is a person, concept or entity. Accessed is a time that relativeClock parses.
type node struct {
	Key, Name, Description, Type, State, Accessed string
	TTLPolicy                                     string `json:"ttl_policy"`
	Salience                                      float64
	Owner, Goal                                   bool
}

// relationship is a relationship. Word is its relationship_type.
type relationship struct {
	From, To, Type, Word, Description string
	Salience                          float64
	Attitude, Proximity               int64
}

// conversation is a conversation. Its turns alternate between user and assistant, beginning with the user.
type conversation struct {
	Key, At, Summary string
	ContextType      string `json:"context_type"`
	Mentions, Turns  []string
}

// read reads the embedded files.
func read() (*dataset, error) {
	data := &dataset{}
	for name, into := range map[string]any{
		"persons": &data.Persons, "concepts": &data.Concepts, "entities": &data.Entities,
		"relationships": &data.Relationships, "conversations": &data.Conversations, "preferences": &data.Preferences,
		"projects": &data.Projects, "links": &data.Links,
	} {
		raw, err := files.ReadFile("data/" + name + ".json")
		if err != nil {
			return nil, err
		}
		if err := decodeKnown(raw, into); err != nil {
			return nil, fmt.Errorf("read data/%s.json: %w", name, err)
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

// zone is the time zone of the demo's user.
const zone = "Europe/Brussels"

// relativeClock parses the demo's times, which are relative to now.
type relativeClock struct{ now time.Time }

func newClock(now time.Time) (relativeClock, error) {
	zone, err := time.LoadLocation(zone)
	if err != nil {
		return relativeClock{}, err
	}
	return relativeClock{now.In(zone)}, nil
}

// latestHours are the possible times of the newest conversation: before work, at lunch, after dinner.
var latestHours = []string{"0d 19:30", "0d 12:40", "0d 07:10", "-1d 19:30"}

// parse parses a time such as "-2d 09:30": two days ago at 09:30 in zone. "latest" is the newest of latestHours
// that is at least three hours ago.
func (c relativeClock) parse(text string) (time.Time, error) {
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

func (c relativeClock) latestTime() (found time.Time, err error) {
	for _, text := range latestHours {
		if found, err = c.parse(text); err != nil || found.Before(c.now.Add(-3*time.Hour)) {
			break
		}
	}
	return found, err
}

// fullKey returns the entity key for a short key of the demo.
func fullKey(parts ...string) string { return User + "/" + strings.Join(parts, "/") }

func fullKeys(short []string) []string {
	keys := make([]string, len(short))
	for i, key := range short {
		keys[i] = fullKey(key)
	}
	return keys
}
